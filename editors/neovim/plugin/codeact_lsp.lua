if vim.g.loaded_codeact_lsp then
  return
end
vim.g.loaded_codeact_lsp = true

vim.api.nvim_create_user_command('CodeactLsp', function(command)
  require('codeact_lsp').run(command.fargs[1], command.fargs[2])
end, {
  nargs = '+',
  desc = 'codeact-lsp: approve, refresh, restart, show …',
  complete = function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, require('codeact_lsp').words())
  end,
})
