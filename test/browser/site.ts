/** The web site of an application: one page with the program of `page.ts`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export interface Site extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
}

/** The program of the page as one module, with the SDKs as they come from npm. */
export async function bundlePage(): Promise<string> {
  const build = await rolldown({ input: fileURLToPath(new URL('page.ts', import.meta.url)), platform: 'browser' });
  try {
    const { output } = await build.generate({ format: 'esm', keepNames: true });
    return output[0].code;
  } finally {
    await build.close();
  }
}

/** Serves the page on a port, and so an origin, of its own. */
export async function startSite(program: string): Promise<Site> {
  const server = createServer((request, response) => {
    const isProgram = request.url === '/page.js';
    response.setHeader('content-type', isProgram ? 'text/javascript' : 'text/html');
    response.end(isProgram ? program : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
