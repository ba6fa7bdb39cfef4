/** The rows of a batch as the input of a batch of a provider, read anew whenever it is sent: nothing of it is kept. */
import { Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import type { RequestBody, RowTarget } from '../../pipeline/index.ts';
import { BadRow, type InputRow } from '../execution/input-rows.ts';
import type { PlanBatchRow } from '../execution/row-call.ts';
import type { BatchOrder, ProviderBatch } from '../records.ts';

/** The key, a config or an account has changed since the target was chosen. */
export class PlanChanged extends Error {
  override readonly name = 'PlanChanged';
}

type Rows = AsyncIterable<InputRow | BadRow>;

export interface InputPorts {
  readonly order: BatchOrder;
  readonly plan: PlanBatchRow;
  rows(): Promise<Rows | undefined>;
}

interface PlanPorts extends InputPorts {
  isStopped(): boolean;
}

/** Why the rows cannot be one batch of a provider, or where they can. */
export type InputPlan =
  | { readonly kind: 'own'; readonly reason: string }
  | {
      readonly kind: 'provider';
      readonly target: Omit<RowTarget, 'body'>;
      /** Of the lines that are sent. */
      readonly bytes: number;
    };

/** What rows are called, so that they are known again. */
export const rowName = (marker: string, row: number): string => `${marker}-${row}`;

/** Place of a row in the input, by its name; undefined: it is none of the batch. */
export function rowOf(marker: string, name: unknown): number | undefined {
  if (typeof name !== 'string' || !name.startsWith(`${marker}-`)) return undefined;
  const digits = name.slice(marker.length + 1);
  return /^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined;
}

function lineOf(
  row: InputRow,
  { body }: RowTarget,
  { order, marker }: { readonly order: BatchOrder; readonly marker: string },
) {
  const head = `{"custom_id":"${rowName(marker, row.row)}","method":"POST","url":"${order.endpoint}","body":`;
  return Buffer.concat([Buffer.from(head), body, LINE_END]);
}

const LINE_END = Buffer.from('}\n');

/** Looks at all rows. They were checked. Undefined: it was stopped. */
export async function planInput(
  { order, plan, rows, isStopped }: PlanPorts,
  marker: string,
): Promise<InputPlan | undefined> {
  const own = (reason: string): InputPlan => ({ kind: 'own', reason });
  let target: RowTarget | undefined;
  let bytes = 0;
  for await (const row of (await rows()) ?? []) {
    if (row instanceof BadRow) throw row;
    if (isStopped()) return undefined;
    const planned = await plan(order, row);
    if (planned === undefined) return own('the key is gone');
    if (typeof planned === 'string') return own(planned);
    target ??= planned;
    if (!isSame(planned, target)) return own('the rows have several targets');
    bytes += lineOf(row, planned, { order, marker }).length;
  }
  return target === undefined ? own('there are no rows') : { kind: 'provider', target, bytes };
}

const isSame = ({ account, config }: RowTarget, other: RowTarget): boolean =>
  account.id === other.account.id && account.slug === other.account.slug && config === other.config;

export interface SentInput {
  open(): Readable;
  /** Why the rows could not be sent to their end; undefined: the other side has ended it, or nothing has. */
  readonly problem: () => unknown;
}

/** Lines in the format of OpenAI. */
export function sentInput(
  { order, plan, rows }: InputPorts,
  { marker, slug, provider }: Pick<ProviderBatch, 'marker' | 'slug' | 'provider'>,
): SentInput {
  let problem: unknown;
  async function* lines(): AsyncGenerator<Buffer> {
    try {
      const content = await rows();
      if (content === undefined) throw new AppError('FILE_UNKNOWN');
      for await (const row of content) {
        if (row instanceof BadRow) throw row;
        const planned = await plan(order, row);
        const isGood = typeof planned === 'object' && planned.account.slug === slug && planned.provider === provider;
        if (!isGood) throw new PlanChanged('The rows of the batch have another target');
        yield lineOf(row, planned, { order, marker });
      }
    } catch (error) {
      problem ??= error;
      throw error;
    }
  }
  return { open: () => Readable.from(lines(), { objectMode: false }), problem: () => problem };
}

/** A form with the lines as its file, in constant memory. */
export function uploadForm(
  input: SentInput,
  { marker, bytes }: { readonly marker: string; readonly bytes: number },
): RequestBody {
  const boundary = `gatehouse-${marker}`;
  const part = (name: string, more: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const head = Buffer.from(
    `${part('purpose', '')}batch\r\n${part('file', `; filename="${marker}.jsonl"\r\nContent-Type: application/jsonl`)}`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* whole(): AsyncGenerator<Buffer> {
    yield head;
    yield* input.open();
    yield tail;
  }
  return {
    kind: 'form',
    contentType: `multipart/form-data; boundary=${boundary}`,
    boundary,
    source: {
      open: () => Readable.from(whole(), { objectMode: false }),
      replayable: true,
      bytes: head.length + bytes + tail.length,
    },
  };
}
