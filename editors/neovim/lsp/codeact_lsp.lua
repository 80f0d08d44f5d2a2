-- The configuration that `vim.lsp.enable('codeact_lsp')` finds; `vim.lsp.config` changes it.
return {
  cmd = { 'codeact-lsp', 'serve' },
  filetypes = { 'python' },
  root_markers = { '.mcp.json', 'codeact-lsp.toml', 'pyproject.toml', '.git' },
  settings = { ['codeact-lsp'] = vim.empty_dict() },
  capabilities = { experimental = { codeactLsp = { status = true } } },
  handlers = {
    ['codeact-lsp/status'] = function(_, status, context)
      require('codeact_lsp').set_status(context.client_id, status)
    end,
  },
}
