;;; briefing.el --- What coding agents are told before they touch a file -*- lexical-binding: t -*-

;; For Emacs 29 or newer: put this file on `load-path', `(require 'briefing)', then `M-x eglot' in an instruction file.
;; Diagnostics come through Flymake, hovers through Eldoc, and `M-x briefing-prompt' shows the exact prompt.

;;; Code:

(require 'eglot)

(defgroup briefing nil
  "What coding agents are told before they touch a file."
  :group 'tools)

(defcustom briefing-program "briefing"
  "The program."
  :type 'string)

(add-to-list 'eglot-server-programs
             `((markdown-mode gfm-mode markdown-ts-mode text-mode)
               . ,(lambda (&rest _) (list briefing-program "lsp"))))

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
