/** Small pieces of Markdown. */

/** A table; cells are escaped, empty columns stay. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(toCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

/** A page: title and parts, separated by blank lines; empty parts are left out. */
export function page(title: string, parts: readonly string[]): string {
  return `${[`# ${title}`, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

const toCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
