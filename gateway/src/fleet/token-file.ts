import { readFile } from 'node:fs/promises';

/** A bearer token in a file that is replaced while the process runs. */
export interface TokenFile {
  /** At most a few seconds older than the file. Rejects when the file cannot be read or is empty. */
  read(): Promise<string>;
  /** The token has been refused: the next `read` opens the file. */
  forget(): void;
}

/** In ms: kubelet renews a token minutes before it expires. */
const FRESH_MS = 5_000;

export function createTokenFile(path: string, now: () => number = () => performance.now()): TokenFile {
  let known: { readonly untilMs: number; readonly token: Promise<string> } | undefined;
  const open = async (): Promise<string> => {
    const token = (await readFile(path, 'utf8')).trim();
    if (token === '') throw new Error('the file is empty');
    return token;
  };
  const forget = (): void => {
    known = undefined;
  };
  return {
    read: () => {
      if (known === undefined || now() >= known.untilMs) known = { untilMs: now() + FRESH_MS, token: open() };
      const { token } = known;
      token.catch(forget);
      return token;
    },
    forget,
  };
}
