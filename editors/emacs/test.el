;;; test.el --- A real Eglot session with the real server -*- lexical-binding: t -*-
;; emacs -Q --batch -l editors/emacs/test.el   with BRIEFING, SCRATCH and a scratch HOME

(setq native-comp-jit-compilation nil)
(require 'ert)
(require 'flymake)
(load (expand-file-name "briefing.el" (file-name-directory load-file-name)) nil t)
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

(ert-deftest a-file-over-the-budget-has-a-diagnostic-a-hover-and-a-prompt ()
  (test-write ".git/HEAD" "ref: refs/heads/main\n")
  (with-current-buffer (find-file-noselect (test-write "AGENTS.md" (apply #'concat (make-list 3000 "Say why, not what.\n"))))
    (text-mode)
    (apply #'eglot--connect (eglot--guess-contact))
    (let ((server (eglot-current-server)))
      (should server)
      (eventually (eglot-managed-p))
      (flymake-start)
      (let ((found (eventually (seq-find (lambda (text) (string-match-p "over-budget.*Codex cuts" text))
                                         (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))))
        (should (string-match-p "Codex cuts 24 232 of 57 000 bytes" (subst-char-in-string ?  ?\s found))))
      (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
        (should (string-match-p "| Codex .* | cut" (plist-get (plist-get hover :contents) :value))))
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
