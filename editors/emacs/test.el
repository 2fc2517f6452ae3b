;;; test.el --- A real Eglot session with the real server -*- lexical-binding: t -*-
;; emacs -Q --batch -l editors/emacs/test.el   with BRIEFING, SCRATCH and a scratch HOME; MARKDOWN names a directory with
;; markdown-mode, else it is a stock Emacs that knows no Markdown

(setq native-comp-jit-compilation nil)
(require 'ert)
(require 'flymake)
(when (getenv "MARKDOWN")
  (add-to-list 'load-path (getenv "MARKDOWN"))
  ;; As its package does it.
  (autoload 'markdown-mode "markdown-mode" nil t)
  (add-to-list 'auto-mode-alist '("\\.\\(?:md\\|markdown\\)\\'" . markdown-mode)))
;; The recipe of editors/README.md, as it stands there, with this repository where it says.
(let ((editors (expand-file-name ".." (file-name-directory load-file-name))))
  (make-directory "~/src")
  (make-symbolic-link (expand-file-name ".." editors) (expand-file-name "~/src/briefing"))
  (with-temp-buffer
    (insert-file-contents (expand-file-name "README.md" editors))
    (re-search-forward "^```elisp\n\\(\\(?:.*\n\\)*?\\)```$")
    (let ((recipe (match-string 1)))
      (erase-buffer)
      (insert recipe)
      (eval-buffer))))
(setq briefing-program (getenv "BRIEFING")
      eglot-sync-connect 10
      eglot-autoshutdown nil
      eglot-report-progress nil
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil)

(defmacro eventually (form)
  "Wait until FORM gives something, and give that back."
  `(let (got)
     (with-timeout (10 (error "Timed out: %S" ',form))
       (while (not (setq got ,form)) (accept-process-output nil 0.02)))
     got))

(defvar test-root (file-name-as-directory (expand-file-name "project" (getenv "SCRATCH"))))

(defun test-write (name text)
  "Write TEXT to the file NAME of the project."
  (let ((file (expand-file-name name test-root)))
    (make-directory (file-name-directory file) t)
    (write-region text nil file nil 'quiet)
    file))

(ert-deftest every-instruction-file-gets-a-mode-that-the-server-is-for ()
  (dolist (name '("CLAUDE.md" "Agents.md" ".cursorrules" ".clinerules-code" ".cursor/rules/a.mdc" ".claude/skills/x/SKILL.md"
                  ".github/copilot-instructions.md" ".github/instructions/a.instructions.md"))
    (with-current-buffer (find-file-noselect (test-write name "Rules.\n"))
      (should (string-match-p briefing-files buffer-file-name))
      (should (derived-mode-p 'markdown-mode 'briefing-instructions-mode))
      (should (eglot--guess-contact))
      (kill-buffer)))
  (with-current-buffer (find-file-noselect (test-write "notes.txt" "Nothing for agents.\n"))
    (should-not (string-match-p briefing-files buffer-file-name))
    (kill-buffer)))

(ert-deftest a-file-over-the-budget-has-a-diagnostic-a-hover-and-a-prompt ()
  (test-write ".git/HEAD" "ref: refs/heads/main\n")
  (with-current-buffer (find-file-noselect (test-write "AGENTS.md" (apply #'concat (make-list 3000 "Say why, not what.\n"))))
    (should (eq major-mode (if (getenv "MARKDOWN") 'markdown-mode 'briefing-instructions-mode)))
    ;; In a window, the server is started once Emacs is idle.
    (run-hooks 'post-command-hook)
    (let ((server (eventually (eglot-current-server))))
      (eventually (eglot-managed-p))
      (flymake-start)
      (let ((found (eventually (seq-find (lambda (text) (string-match-p "over-budget.*Codex cuts" text))
                                         (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))))
        (should (string-match-p "Codex cuts 24 232 of 57 000 bytes" (subst-char-in-string ?  ?\s found))))
      (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
        (should (string-match-p "\\`Claude Code.* read this file whole; Codex reads 32.768 of 57.000 B of it\\." (plist-get (plist-get hover :contents) :value))))
      (briefing-prompt "codex")
      (with-current-buffer "*briefing codex*"
        (should (string-prefix-p "# AGENTS.md instructions" (buffer-string)))
        (should (< 32768 (buffer-size) 33000)))
      ;; What is not saved counts.
      (let ((inhibit-message t))
        (goto-char (point-min))
        (insert "Ünsaved.\n"))
      (briefing-prompt "codex")
      (with-current-buffer "*briefing codex*"
        (should (string-search "Ünsaved." (buffer-string))))
      (set-buffer-modified-p nil)
      (eglot-shutdown server nil 5))))

(let ((ert-quiet nil)) (ert-run-tests-batch-and-exit))
;;; test.el ends here
