// Where a Python file's head ends.

/** The line below the comments, the docstring and the imports that begin a file; always between two statements. */
export function importLine(lines: readonly string[]): number {
  let after = 0;
  let first = true;
  for (let number = 0; number < lines.length; number += 1) {
    const line = lines[number] ?? "";
    if (/^\s*(#|$)/.test(line)) {
      if (first && line.startsWith("#")) {
        after = number + 1;
      }
      continue;
    }
    const docstring = first && /^[rRuU]?["']/.test(line);
    const last = docstring || /^(import|from)\b/.test(line) ? statementEnd(lines, number) : undefined;
    if (last === undefined) {
      break;
    }
    first = false;
    number = last;
    after = last + 1;
  }
  return after;
}

/** The last line of the statement that begins on a line; undefined where it has no end. */
function statementEnd(lines: readonly string[], first: number): number | undefined {
  let depth = 0;
  let quote = "";
  for (let number = first; number < lines.length; number += 1) {
    const line = lines[number] ?? "";
    let continued = false;
    for (let at = 0; at < line.length; at += 1) {
      const character = line.charAt(at);
      if (character === "\\") {
        // In a string and outside: takes the next character, or the end of the line.
        at += 1;
        continued = at === line.length;
      } else if (quote !== "") {
        if (line.startsWith(quote, at)) {
          at += quote.length - 1;
          quote = "";
        }
      } else if (character === "#") {
        break;
      } else if (character === '"' || character === "'") {
        const triple = character.repeat(3);
        quote = line.startsWith(triple, at) ? triple : character;
        at += quote.length - 1;
      } else if ("([{".includes(character)) {
        depth += 1;
      } else if (")]}".includes(character)) {
        depth -= 1;
      }
    }
    if (depth < 0 || (quote.length === 1 && !continued)) {
      return undefined;
    }
    if (depth === 0 && quote === "" && !continued) {
      return number;
    }
  }
  return undefined;
}
