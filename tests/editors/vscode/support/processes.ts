// Which processes run, as Linux lists them.

import fs from "node:fs";
import type { Editor } from "./editor.ts";

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** The processes below the editor whose command line holds `part`. */
export function processes(editor: Editor, part: string): readonly Process[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandLine(name) }))
    .filter(({ pid, command }) => command.includes(part) && environmentOf(pid).includes(editor.home));
}

export function environmentOf(pid: number): string {
  return read(pid, "environ").replaceAll("\0", "\n");
}

function commandLine(pid: string): string {
  return read(Number(pid), "cmdline").replaceAll("\0", " ");
}

function read(pid: number, name: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    // It ended in between.
    return "";
  }
}
