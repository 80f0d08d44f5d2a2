// The entries of the command palette and of the Tools view's menus.

import * as vscode from "vscode";
import { execFile } from "node:child_process";
import { cellAtCursor, runCell, type Cell } from "./cells";
import type { Logs } from "./logs";
import type { ToolDetails } from "./protocol";
import type { Approvals, Inputs } from "./questions";
import type { Server } from "./server";
import { forServer } from "./settings";
import { plain } from "./text";
import type { Node, ServerNode, ToolNode, ToolsView } from "./toolsView";

const TEXT_SCHEME = "codeact-lsp-text";

interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly logs: Logs;
  readonly inputs: Inputs;
  readonly approvals: Approvals;
  readonly tools: ToolsView;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const { context, server, logs, inputs, tools } = parts;
  const texts = new Texts();
  const show = async (command: string, name: string): Promise<void> => {
    const answer = await server.execute(command);
    if (typeof answer === "string") {
      await texts.show(name, answer);
    }
  };
  const commands: Record<string, (...given: never[]) => unknown> = {
    restartServer: () => server.restart(),
    restart: (argument?: object) => server.execute("codeact-lsp.restart", argument),
    refresh: (argument?: object) => server.execute("codeact-lsp.refresh", argument),
    approve: (argument?: object) => approve(server, argument),
    findTool: () => tools.find(),
    showCatalogue: () => show("codeact-lsp.showCatalogue", "catalogue.txt"),
    showPromptBlock: () => show("codeact-lsp.showPromptBlock", "prompt-block.py"),
    report: () => show("codeact-lsp.report", "report.txt"),
    showLogs: (argument?: { server?: string }) =>
      argument?.server === undefined ? logs.choose() : logs.of(argument.server).show(true),
    showTrace: () => logs.trace.show(true),
    explain: () => explain(server),
    addMinimalStub: () => addMinimalStub(server, logs),
    forgetInputs: async () =>
      vscode.window.showInformationMessage(`codeact-lsp has forgotten ${await inputs.forget()} stored inputs.`),
    openWalkthrough: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`),
    runCell: (cell?: Cell) => run(parts, cell ?? cellAtCursor(), false),
    runAbove: (cell?: Cell) => run(parts, cell ?? cellAtCursor(), true),
    "tools.insertCall": (node: ToolNode) => insertCall(server, node),
    "tools.copyCall": async (node: ToolNode) => copy((await details(server, node))?.call),
    "tools.copyRawName": (node: Node) => copy(rawName(node)),
    "tools.openStub": async (node: ToolNode) => openStub(server, await details(server, node)),
    "tools.approve": (node: ServerNode) => approve(server, { server: node.server.raw }),
    "tools.restart": (node: ServerNode) => server.execute("codeact-lsp.restart", { server: node.server.raw }),
    "tools.showLog": (node: ServerNode) => logs.of(node.server.raw ?? "native").show(true),
  };
  return vscode.Disposable.from(
    texts,
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`codeact-lsp.${name}`, run as (...given: unknown[]) => unknown),
    ),
  );
}

async function approve(server: Server, argument?: object): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return;
  }
  const answer = await server.execute("codeact-lsp.approve", argument);
  if (typeof answer === "string" && answer.startsWith("Nothing")) {
    void vscode.window.showInformationMessage("No MCP server waits for approval.");
  }
}

async function explain(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const { line, character } = editor.selection.active;
  const answer = await server.execute("codeact-lsp.explain", {
    uri: editor.document.uri.toString(),
    position: { line, character },
  });
  if (typeof answer === "string") {
    void vscode.window.showInformationMessage(plain(answer));
  }
}

async function run({ context, server, inputs, approvals }: Parts, cell: Cell | undefined, above: boolean): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage("Cells run only in a trusted folder: this window is in Restricted Mode.");
  } else if (server.launch === undefined) {
    void vscode.window.showWarningMessage("The codeact-lsp server was not found, so nothing can run the cell.");
  } else if (cell !== undefined) {
    await runCell(server.launch, cell, above, {
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      settings: forServer(context),
      inputs: await inputs.given(),
      approved: approvals.once,
    });
  }
}

function details(server: Server, node: ToolNode): Promise<ToolDetails | undefined> {
  return server.details(node.parent.server.raw, node.tool.raw);
}

async function insertCall(server: Server, node: ToolNode): Promise<void> {
  const editor = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find(
    (shown) => shown?.document.languageId === "python",
  );
  if (editor === undefined) {
    void vscode.window.showInformationMessage("Open the Python file that the call should go into.");
    return;
  }
  const place = new vscode.Location(editor.document.uri, editor.selection.active);
  const found = await server.details(node.parent.server.raw, node.tool.raw, place);
  if (found === undefined) {
    void vscode.window.showInformationMessage("The server does not list this tool any more.");
    return;
  }
  for (const { range, newText } of found.edits) {
    const at = new vscode.Position(range.start.line, range.start.character);
    // An insertion that the cursor stays behind.
    await editor.edit((builder) => builder.insert(at, newText), { undoStopBefore: true, undoStopAfter: false });
  }
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  await editor.insertSnippet(new vscode.SnippetString(found.snippet));
}

async function openStub(server: Server, found: ToolDetails | undefined): Promise<void> {
  if (found?.location === undefined || found.location === null) {
    void vscode.window.showInformationMessage("There is no stub of this tool.");
  } else {
    await server.show(found.location);
  }
}

async function copy(text: string | undefined): Promise<void> {
  if (text !== undefined) {
    await vscode.env.clipboard.writeText(text);
  }
}

function rawName(node: Node): string | undefined {
  switch (node.kind) {
    case "server":
      return node.server.raw ?? undefined;
    case "tool":
      return node.tool.raw;
    case "parameter":
      return node.parameter.raw;
  }
}

async function addMinimalStub(server: Server, logs: Logs): Promise<void> {
  const shown = vscode.window.activeTextEditor?.document.uri;
  const folder = (shown && vscode.workspace.getWorkspaceFolder(shown)) ?? vscode.workspace.workspaceFolders?.[0];
  const launch = server.launch;
  if (folder === undefined || launch === undefined || !vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage("A stub needs a trusted folder and a running server.");
    return;
  }
  const target = vscode.Uri.joinPath(folder.uri, "typings").fsPath;
  const parameters = [...launch.arguments, "stubs", "--minimal", "--output", target];
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile(launch.command, parameters, { cwd: folder.uri.fsPath, windowsHide: true }, (error, stdout, stderr) => {
      logs.server.info(`stubs --minimal: ${stdout}${stderr}`.trim());
      resolve(error === null ? undefined : stderr.trim() || error.message);
    });
  });
  void (failure === undefined
    ? vscode.window.showInformationMessage('A minimal stub is in "typings".')
    : vscode.window.showErrorMessage(`The stub could not be written: ${plain(failure)}`));
}

/** Read-only documents for the texts that commands answer with. */
class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(TEXT_SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? "";
  }

  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${name}` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
