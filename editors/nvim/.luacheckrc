-- Neovim is the only global there is.
std = 'luajit'
globals = { vim = { other_fields = true } }
max_line_length = 120
cache = false
