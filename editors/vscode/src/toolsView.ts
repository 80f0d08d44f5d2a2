// The Tools view: servers, their tools, and the parameters of those.

import * as vscode from "vscode";
import type { CatalogueEntries, ParameterEntry, ServerEntry, Spelling, ToolDetails, ToolEntry } from "./protocol";
import { label, plain } from "./text";

export interface Catalogues {
  catalogue(): Promise<CatalogueEntries | undefined>;
  details(server: string | null, tool: string): Promise<ToolDetails | undefined>;
}

export interface ServerNode {
  readonly kind: "server";
  readonly server: ServerEntry;
}

export interface ToolNode {
  readonly kind: "tool";
  readonly parent: ServerNode;
  readonly tool: ToolEntry;
}

export interface ParameterNode {
  readonly kind: "parameter";
  readonly parent: ToolNode;
  readonly parameter: ParameterEntry;
}

export type Node = ServerNode | ToolNode | ParameterNode;

const REASONS: Readonly<Record<string, string>> = {
  hyphen: "a character that Python names cannot hold became an underscore",
  keyword: "it is a Python keyword, so an underscore was added",
  collision: "another name is spelled like that, so a number was added",
  "no-identifier": "no Python name can stand for it",
  reserved: "the name has another meaning here",
};

export class ToolsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #catalogues: Catalogues;
  readonly #changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #tree: vscode.TreeView<Node>;
  #servers: readonly ServerNode[] = [];

  constructor(catalogues: Catalogues) {
    this.#catalogues = catalogues;
    this.#tree = vscode.window.createTreeView<Node>("codeact-lsp.tools", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      const entries = await this.#catalogues.catalogue();
      this.#servers = (entries?.servers ?? []).map((server) => ({ kind: "server", server }));
      return [...this.#servers];
    }
    switch (node.kind) {
      case "server":
        return node.server.tools.map((tool) => ({ kind: "tool", parent: node, tool }));
      case "tool": {
        const details = await this.#catalogues.details(node.parent.server.raw, node.tool.raw);
        return (details?.parameters ?? []).map((parameter) => ({ kind: "parameter", parent: node, parameter }));
      }
      case "parameter":
        return [];
    }
  }

  getParent(node: Node): Node | undefined {
    return node.kind === "server" ? undefined : node.parent;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "server":
        return serverItem(node.server);
      case "tool":
        return toolItem(node);
      case "parameter":
        return parameterItem(node);
    }
  }

  async resolveTreeItem(item: vscode.TreeItem, node: Node): Promise<vscode.TreeItem> {
    if (node.kind === "tool") {
      const details = await this.#catalogues.details(node.parent.server.raw, node.tool.raw);
      if (details !== undefined) {
        const tooltip = new vscode.MarkdownString();
        tooltip.appendCodeblock(details.signature, "python");
        tooltip.appendText(details.summary);
        appendReason(tooltip, node.tool);
        item.tooltip = tooltip;
      }
    }
    return item;
  }

  /** Finds a tool by either spelling, and shows it in the tree. */
  async find(): Promise<void> {
    const entries = await this.#catalogues.catalogue();
    const items = (entries?.servers ?? []).flatMap((server) =>
      server.tools.map((tool) => ({ label: `$(symbol-method) ${label(spelled(tool))}`, description: label(tool.path), server, tool })),
    );
    const chosen = await vscode.window.showQuickPick(items, {
      matchOnDescription: true,
      placeHolder: "A tool's name, as the server or as Python spells it",
    });
    if (chosen === undefined) {
      return;
    }
    const parent = this.#servers.find(({ server }) => server.raw === chosen.server.raw) ?? {
      kind: "server",
      server: chosen.server,
    };
    await this.#tree.reveal({ kind: "tool", parent, tool: chosen.tool }, { select: true, focus: true, expand: true });
  }

  dispose(): void {
    this.#tree.dispose();
    this.#changed.dispose();
  }
}

/** `file-path → file_path` where the two differ; both spellings are there for the tree's own search. */
export function spelled(spelling: Spelling): string {
  const { raw, name } = spelling;
  if (name === null) {
    return plain(`${raw} (no Python name)`);
  }
  return plain(name === raw ? raw : `${raw} → ${name}`);
}

function serverItem(server: ServerEntry): vscode.TreeItem {
  const label = server.raw === null ? "native tools" : spelled({ raw: server.raw, name: server.name, reason: null });
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  const state = server.state ?? "ready";
  item.id = JSON.stringify([server.raw]);
  const count = server.tools.length === 1 ? "1 tool" : `${server.tools.length} tools`;
  const problems = server.problems ?? [];
  item.description = [count, ...(state === "ready" ? [] : [state]), ...(server.stale === true ? ["stale"] : [])].join(", ");
  item.iconPath = serverIcon(state, problems.length > 0);
  item.contextValue = state === "not approved" ? "server.unapproved" : server.raw === null ? "native" : "server";
  const about = [server.title, server.version, server.address].filter((text) => typeof text === "string" && text !== "");
  const tooltip = new vscode.MarkdownString();
  tooltip.appendText([about.join(" · "), `State: ${state}`, ...problems].filter((line) => line !== "").join("\n"));
  item.tooltip = tooltip;
  return item;
}

function serverIcon(state: string, problems: boolean): vscode.ThemeIcon {
  const colour = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);
  switch (state) {
    case "starting":
    case "listing":
      return new vscode.ThemeIcon("loading~spin");
    case "reconnecting":
      return new vscode.ThemeIcon("sync~spin", colour("list.warningForeground"));
    case "not approved":
      return new vscode.ThemeIcon("shield", colour("list.warningForeground"));
    case "needs sign-in":
      return new vscode.ThemeIcon("key", colour("list.warningForeground"));
    case "failed":
      return new vscode.ThemeIcon("error", colour("list.errorForeground"));
    case "disabled":
      return new vscode.ThemeIcon("circle-slash");
    case "asleep":
      return new vscode.ThemeIcon("circle-outline", colour("testing.iconPassed"));
    case "snapshot":
      return new vscode.ThemeIcon("archive");
    default:
      return problems
        ? new vscode.ThemeIcon("warning", colour("list.warningForeground"))
        : new vscode.ThemeIcon("pass", colour("testing.iconPassed"));
  }
}

function toolItem(node: ToolNode): vscode.TreeItem {
  const item = new vscode.TreeItem(spelled(node.tool), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = JSON.stringify([node.parent.server.raw, node.tool.raw]);
  item.iconPath = new vscode.ThemeIcon("symbol-method");
  item.contextValue = "tool";
  if (node.tool.changed) {
    item.description = "changed since you last looked";
  }
  return item;
}

function parameterItem(node: ParameterNode): vscode.TreeItem {
  const { parameter } = node;
  const item = new vscode.TreeItem(spelled(parameter), vscode.TreeItemCollapsibleState.None);
  item.id = JSON.stringify([node.parent.parent.server.raw, node.parent.tool.raw, parameter.raw]);
  item.iconPath = new vscode.ThemeIcon(parameter.required ? "symbol-parameter" : "symbol-field");
  item.description = `${parameter.type}${parameter.required ? ", required" : ""}`;
  item.contextValue = "parameter";
  const tooltip = new vscode.MarkdownString();
  tooltip.appendCodeblock(`${parameter.name ?? JSON.stringify(parameter.raw)}: ${parameter.type}`, "python");
  appendReason(tooltip, parameter);
  item.tooltip = tooltip;
  return item;
}

function appendReason(tooltip: vscode.MarkdownString, spelling: Spelling): void {
  if (spelling.reason !== null) {
    tooltip.appendText(`\n\nSent as "${spelling.raw}": ${REASONS[spelling.reason] ?? spelling.reason}.`);
  }
}
