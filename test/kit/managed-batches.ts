/** Files and batches that a gateway keeps itself, as clients use them. */
import type { Received, SendOptions } from './http.ts';
import { waitFor } from './wait-for.ts';

export interface BatchShape {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
}

export interface FileShape {
  readonly id: string;
}

export interface Managed {
  /** The answer to a form with these fields; `file` is sent as a file. */
  send(form: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Received>;
  upload(rows: string): Promise<FileShape>;
  create(body: object): Promise<BatchShape>;
  read(id: string): Promise<BatchShape>;
  ended(id: string): Promise<BatchShape>;
  /** With the account `@openai`, unless the options say otherwise. */
  run(rows: string, options?: Readonly<Record<string, string>>): Promise<BatchShape>;
  /** The lines of a file, parsed. */
  lines(fileId: string | null): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export const apiKeyOf = (secret: string): Readonly<Record<string, string>> => ({ 'x-gw-api-key': secret });

export const chatRow = (id: string, text: string, model = 'gpt-4o'): string =>
  `${JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: text }] },
  })}\n`;

export const batchOf = (body: object): SendOptions => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ endpoint: '/v1/chat/completions', completion_window: '24h', ...body }),
});

export function managedBy(gateway: { send(path: string, options?: SendOptions): Promise<Received> }): Managed {
  const good = <T>({ status, text, json }: Received): T => {
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return json() as T; // as the API says
  };
  const managed: Managed = {
    send: (form, headers = {}) =>
      gateway.send('/v1/files', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=limit' },
        body: `${Object.entries(form)
          .map(
            ([name, value]) =>
              `--limit\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? '; filename="rows.jsonl"' : ''}\r\n\r\n${value}\r\n`,
          )
          .join('')}--limit--\r\n`,
      }),
    upload: async (rows) => good(await managed.send({ purpose: 'batch', file: rows })),
    create: async (body) => good(await gateway.send('/v1/batches', batchOf(body))),
    read: async (id) => good(await gateway.send(`/v1/batches/${id}`)),
    ended: (id) =>
      waitFor(
        async () => {
          const batch = await managed.read(id);
          return ENDED.has(batch.status) ? batch : undefined;
        },
        { what: 'the end of the batch' },
      ),
    run: async (rows, options = { 'x-gw-provider': '@openai' }) => {
      const { id } = await managed.upload(rows);
      const batch = await managed.create({ input_file_id: id, gw_options: options });
      return await managed.ended(batch.id);
    },
    lines: async (fileId) => {
      const { text } = await gateway.send(`/v1/files/${fileId}/content`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
  return managed;
}
