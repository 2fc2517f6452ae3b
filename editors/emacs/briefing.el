;;; briefing.el --- What coding agents are told before they touch a file -*- lexical-binding: t -*-

;; For Emacs 29 or newer: put this file on `load-path', and in the init file
;;
;;   (require 'briefing)
;;   (add-hook 'find-file-hook #'briefing-ensure)
;;
;; Every instruction file (AGENTS.md, CLAUDE.md, .cursor/rules/*.mdc …) then has the server: in `markdown-mode' where that
;; is installed, else in `briefing-instructions-mode'.  Diagnostics come through Flymake, hovers through Eldoc, and
;; `M-x briefing-prompt' shows the exact prompt.

;;; Code:

(require 'eglot)

(defgroup briefing nil
  "What coding agents are told before they touch a file."
  :group 'tools)

(defcustom briefing-program "briefing"
  "The program."
  :type 'string)

(define-derived-mode briefing-instructions-mode text-mode "Instructions"
  "Instruction files of coding agents, where Emacs knows no Markdown.")
(put 'briefing-instructions-mode 'eglot-language-id "markdown")

(add-to-list 'eglot-server-programs
             `((markdown-mode gfm-mode markdown-ts-mode briefing-instructions-mode)
               . ,(lambda (&rest _) (list briefing-program "lsp"))))

(defconst briefing-files
  (concat "/\\(?:"
          (regexp-opt '("agent" "agents" "agents.local" "agents.override" "bootstrap" "claude" "claude.local" "context"
                        "conventions" "copilot-instructions" "crush" "crush.local" "etcode" "gemini" "heartbeat" "identity"
                        "memory" "qwen" "skill" "soul" "tools" "user"))
          "\\.md\\|[^/]*\\.\\(?:mdc\\|instructions\\.md\\)\\|"
          "\\.\\(?:cursorrules\\|goosehints\\|rules\\|windsurfrules\\|\\(?:cline\\|kilocode\\|roo\\)rules\\(?:-[^/]*\\)?\\)\\|"
          "\\.[^/]+/\\(?:[^/]+/\\)*[^/]+\\.md\\)\\'")
  "The names of instruction files, in any letter case; every page in the folder of an agent, such as .claude, is one.")

(defun briefing-file-mode ()
  "Turn on a mode of Markdown if there is one, else `briefing-instructions-mode'."
  (if (fboundp 'markdown-mode) (funcall 'markdown-mode) (briefing-instructions-mode)))

;; At the end: whoever has chosen a mode keeps it.
(add-to-list 'auto-mode-alist (cons briefing-files #'briefing-file-mode) t)

;;;###autoload
(defun briefing-ensure ()
  "Have the server for the file of this buffer if it is an instruction file; for `find-file-hook'."
  (when (and buffer-file-name
             (let ((case-fold-search t)) (string-match-p briefing-files buffer-file-name))
             (derived-mode-p 'markdown-mode 'markdown-ts-mode 'briefing-instructions-mode))
    (eglot-ensure)))

(defun briefing--texts (answer)
  "The texts of all instruction messages in ANSWER."
  (let (texts)
    (seq-doseq (briefing (plist-get answer :briefings))
      (seq-doseq (message (plist-get briefing :messages))
        (when (member (or (plist-get message :kind) "instructions") '("instructions"))
          (push (plist-get message :text) texts))))
    (nreverse texts)))

;;;###autoload
(defun briefing-prompt (harness)
  "Show the exact text that HARNESS sends when an agent reads this file."
  (interactive
   (list (completing-read
          "Harness: "
          (mapcar (lambda (harness) (plist-get harness :id))
                  (plist-get (jsonrpc-request (eglot--current-server-or-lose) :briefing/harnesses nil) :harnesses)))))
  (let* ((server (eglot--current-server-or-lose))
         (document (eglot--TextDocumentIdentifier)))
    (eglot--signal-textDocument/didChange)
    (let ((answer (jsonrpc-request server :briefing/effectiveInstructions
                                   (list :textDocument document :harness harness :include ["text"]))))
      (with-current-buffer (get-buffer-create (format "*briefing %s*" harness))
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert (string-join (briefing--texts answer) "\n")))
        (goto-char (point-min))
        (view-mode 1)
        (pop-to-buffer (current-buffer))))))

(provide 'briefing)
;;; briefing.el ends here
