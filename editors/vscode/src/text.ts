// Text of others (config files, servers, programs) before the editor shows it.

// Bidirectional marks, invisible characters and line separators reorder or hide what is around them, as controls do.
const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

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

/** `plain`, where the editor draws icons for `$(name)`: in labels of a list to choose from. */
export function label(text: string): string {
  return plain(text).replaceAll("$(", "\\$(");
}
