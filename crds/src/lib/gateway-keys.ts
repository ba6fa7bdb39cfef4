/** Gateway keys in texts that are recorded: nobody has to know them there. */

const BEGINNING = 'gwk_';
const KEY = /gwk_[\w-]{8,}/g;
const REDACTED = '[redacted]';

/** Whether there may be one. Cheap. */
export const mayHoldGatewayKey = (text: string): boolean => text.includes(BEGINNING);

/** The text, which may be JSON, without keys that Gatehouse has made. */
export const withoutGatewayKeys = (text: string): string =>
  mayHoldGatewayKey(text) ? text.replace(KEY, REDACTED) : text;

/** The same for a path, where characters of a key may be percent-encoded: such a path is shown decoded. */
export function pathWithoutGatewayKeys(path: string): string {
  const clean = withoutGatewayKeys(path);
  if (!clean.includes('%')) return clean;
  const decoded = clean.replace(ENCODED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return mayHoldGatewayKey(decoded) ? withoutGatewayKeys(decoded) : clean;
}

/** Printable ASCII. */
const ENCODED = /%[2-7][0-9a-f]/gi;
