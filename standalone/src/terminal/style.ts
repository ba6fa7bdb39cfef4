import { styleText } from 'node:util';

/** Paints text; without colours it leaves the text as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

export function createStyle(colours: boolean): Style {
  const paint = (kind: keyof Style) => (text: string) =>
    colours && text !== '' ? styleText(kind, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}

/** Whether output gets colours: at a terminal that has some, unless NO_COLOR is set (no-color.org). */
export const hasColours = (
  isTerminal: boolean,
  { NO_COLOR = '', TERM = '' }: Readonly<Record<string, string | undefined>>,
): boolean => isTerminal && NO_COLOR === '' && TERM !== 'dumb';
