/** Gateway keys in texts that are recorded: nobody has to know them there. */

/** One of the characters, plain or as an escape of JSON, which may stand in a string of JSON itself, or of a URL. */
const written = (plain: string, codes: string): string => `(?:${plain}|(?:\\\\{1,4}u00|%)(?:${codes}))`;
const BEGINNING = [written('g', '67'), written('w', '77'), written('k', '6[bB]'), written('_', '5[fF]')].join('');
const CHARACTER = written('[\\w-]', '2[dD]|3[0-9]|[46][1-9a-fA-F]|5[0-9aAfF]|7[0-9aA]');
const KEY = new RegExp(`${BEGINNING}${CHARACTER}{8,}`, 'g');
/** A character of the beginning as an escape. */
const ESCAPE = /(?:u00|%)(?:67|77|6[bB]|5[fF])/;
const REDACTED = '[redacted]';

/** Whether there may be one. Cheap. */
export const mayHoldGatewayKey = (text: string): boolean => text.includes('gwk_') || ESCAPE.test(text);

/** The text, which may be JSON or a path, without keys that Gatehouse has made. */
export const withoutGatewayKeys = (text: string): string =>
  mayHoldGatewayKey(text) ? text.replace(KEY, REDACTED) : text;
