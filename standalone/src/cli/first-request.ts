/** Requests that a start message shows. */

/** A listener on all addresses is reached on loopback. */
export const baseUrl = (host: string, port: number): string => {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};

interface ChatRequest {
  readonly base: string;
  /** The header as an argument in a shell, with its quotes. */
  readonly authorization: string;
  readonly model: string;
}

/** A chat request as commands of a shell. */
export function curl({ base, authorization, model }: ChatRequest): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] });
  return [
    `  curl ${base}/v1/chat/completions \\`,
    `    -H ${authorization} \\`,
    `    -H 'content-type: application/json' \\`,
    `    -d '${body}'`,
  ].join('\n');
}
