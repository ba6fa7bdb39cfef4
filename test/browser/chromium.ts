/** Debian's Chromium without a window, by its DevTools protocol: https://chromedevtools.github.io/devtools-protocol/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../kit/wait-for.ts';

export interface Page {
  /** The value of an expression, or of the promise that it is, as JSON. Rejects with what the page throws. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of any shape
  evaluate(expression: string): Promise<any>;
}

export interface Browser extends AsyncDisposable {
  /** Opens a page, and waits until the expression is true in it. */
  open(url: string, ready: string): Promise<Page>;
}

const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-proxy-server'],
  '--remote-debugging-port=0',
];

/** Starts a browser with a profile of its own, which is removed with it. */
export async function startBrowser(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'gatehouse-browser-'));
  const child = spawn('chromium', [...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const address = (): string | undefined => /DevTools listening on (ws:\S+)/.exec(written)?.[1];
  const close = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL'); // all its processes
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    await waitFor(() => address() !== undefined || child.exitCode !== null, { what: 'the address of the browser' });
    const connection = await connect(address() ?? `none: ${written}`);
    return { open: (url, ready) => openPage(connection, url, ready), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Send = (method: string, params: object, sessionId?: string) => Promise<unknown>;

/** A connection to the browser; each command is answered by a message with its number. */
async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, ...reply } = JSON.parse(String(data));
    waiting.get(id)?.(reply);
    waiting.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const answer of waiting.values()) answer({ error: { message: 'the browser has ended' } });
  });
  await once(socket, 'open');
  let last = 0;
  return (method, params, sessionId) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    });
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

async function openPage(send: Send, url: string, ready: string): Promise<Page> {
  const { targetId } = (await send('Target.createTarget', { url })) as { targetId: string }; // as the protocol says
  const attached = await send('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = attached as { sessionId: string }; // as above
  const evaluate = async (expression: string): Promise<unknown> => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await send('Runtime.evaluate', params, sessionId)) as Evaluated; // as above
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  };
  await waitFor(async () => (await evaluate(ready)) === true, { what: `the page ${url}` });
  return { evaluate };
}
