local M = {}

---@class codeact_lsp.Status
---@field version integer grows with every change of the catalogue
---@field loading boolean
---@field servers integer
---@field tools integer
---@field problems integer
---@field message string one plain sentence

---@type table<integer, codeact_lsp.Status>
local statuses = {}

--- Remembers how things stand and tells whoever listens to `User CodeactLspStatus`.
---@param client_id integer
---@param status codeact_lsp.Status
function M.set_status(client_id, status)
  statuses[client_id] = status
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'CodeactLspStatus',
    modeline = false,
    data = { client_id = client_id, status = status },
  })
end

---@param bufnr? integer
---@return vim.lsp.Client?
local function client_of(bufnr)
  return vim.lsp.get_clients({ name = 'codeact_lsp', bufnr = bufnr or 0 })[1]
end

--- How things stand for a buffer; nil before the server has said so.
---@param bufnr? integer
---@return codeact_lsp.Status?
function M.status(bufnr)
  local client = client_of(bufnr)
  return client and statuses[client.id]
end

--- One sentence for a status line; empty where the server is not attached.
---@return string
function M.statusline()
  local status = M.status()
  return status and ('mcp: ' .. status.message) or ''
end

--- Shows text in a scratch window.
---@param title string
---@param text string
local function show(title, text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0].statusline = title
end

local commands = {
  approve = 'codeact-lsp.approve',
  block = 'codeact-lsp.showPromptBlock',
  catalogue = 'codeact-lsp.showCatalogue',
  explain = 'codeact-lsp.explain',
  logs = 'codeact-lsp.showLogs',
  refresh = 'codeact-lsp.refresh',
  report = 'codeact-lsp.report',
  restart = 'codeact-lsp.restart',
}
local texts = { block = true, catalogue = true, logs = true, report = true }

--- The words that `:CodeactLsp` takes.
---@return string[]
function M.words()
  local words = vim.tbl_keys(commands)
  table.sort(words)
  return words
end

--- Runs a command of the server and shows what it answers.
---@param word string
---@param server? string a server's name in its config file; all servers if nil
function M.run(word, server)
  local client = client_of()
  if not client then
    vim.notify('codeact-lsp is not attached to this buffer', vim.log.levels.WARN)
    return
  end
  if not commands[word] then
    vim.notify('codeact-lsp has no command ' .. word, vim.log.levels.ERROR)
    return
  end
  local argument = server and { server = server } or vim.empty_dict()
  if word == 'explain' then
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    argument = { uri = params.textDocument.uri, position = params.position }
  end
  client:request(
    'workspace/executeCommand',
    { command = commands[word], arguments = { argument } },
    function(err, result)
      if err then
        vim.notify(err.message, vim.log.levels.ERROR)
      elseif texts[word] then
        show('codeact-lsp ' .. word, result)
      elseif type(result) == 'string' then
        vim.notify(result)
      end
    end
  )
end

return M
