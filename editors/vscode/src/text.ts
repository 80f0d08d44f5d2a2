// Text of others (config files, servers, programs) before the editor shows it.

// Bidirectional marks and line separators reorder or hide what is around them, as control characters do.
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/** On one line, and without what messages and input boxes take for a link: `[text](command:…)`. */
export function plain(text: string): string {
  return text.replace(CONTROLS, " ").replace(/\](?=\()/g, "] ");
}

/** With its lines, for the detail of a modal dialog, where nothing is a link and every character counts. */
export function visible(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(CONTROLS, "\ufffd"))
    .join("\n");
}
