/**
 * An application without any code for Gatehouse: it calls OpenAI with the SDK, configured by the environment alone.
 * `/ask?HEADER=VALUE` answers with the completion, `/file?path=` with a file of the pod, `/env?name=` with a variable. With
 * `--once` it asks once and ends.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import OpenAI from 'openai';

type Query = URLSearchParams;

async function ask(query: Query): Promise<unknown> {
  const completion = await new OpenAI({ maxRetries: 0 }).chat.completions.create(
    { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }] },
    { headers: Object.fromEntries(query) },
  );
  return { text: completion.choices[0]?.message.content, model: completion.model };
}

const ROUTES: ReadonlyMap<string, (query: Query) => unknown> = new Map<string, (query: Query) => unknown>([
  ['/', () => ({})],
  ['/ask', ask],
  ['/file', async (query) => ({ text: await readFile(query.get('path') ?? '', 'utf8') })],
  ['/env', (query) => ({ text: process.env[query.get('name') ?? ''] })],
]);

if (process.argv.includes('--once')) {
  await ask(new URLSearchParams());
  process.exit();
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://app');
  try {
    response.end(JSON.stringify(await ROUTES.get(pathname)?.(searchParams)));
  } catch (error) {
    const { status } = error instanceof OpenAI.APIError ? error : { status: undefined };
    response.writeHead(status ?? 500).end(JSON.stringify({ error: String(error) }));
  }
});
server.listen(8080);
process.on('SIGTERM', () => process.exit(0)); // the first process of a container gets no default action
