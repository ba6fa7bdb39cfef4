/** What the rows of a batch used, counted while its output passes: docs/behaviour/cost.md#batches-of-providers. */
import { hash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import { type Cost, type CountOptions, countBody } from '../../cost/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import { type CountedAnswer, type ModelShare, NOTHING_COUNTED } from '../../record/index.ts';
import type { RowMarks } from '../../store/index.ts';
import { addUsage, NO_USAGE, type TokenUsage } from '../../usage/index.ts';
import { MAX_ROW_BYTES, outputRowId } from '../../wire/batch-rows/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { countedBody, type PieceCounter } from './counted-body.ts';
import type { MappedAnswer } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import { type Prepared, pricesOf, targetIdentity } from './prepare/index.ts';
import type { Tried } from './retries.ts';

/** The answer with the rows of its body counted where it is the output of a batch; its bytes pass as they are. */
export async function countRows(
  ports: AttemptPorts,
  prepared: Prepared,
  tried: Tried<MappedAnswer>,
): Promise<Tried<MappedAnswer>> {
  const { result } = tried;
  const { reportsRows } = prepared.operation;
  if (reportsRows === undefined || result.kind === 'error') return tried;
  const { answer } = result;
  const { body, headers } = answer;
  if (body.kind !== 'stream' || answer.status !== 200 || headers['content-encoding'] !== undefined) return tried;
  const { provider, resolved, input } = prepared;
  const { exchange } = input;
  const { settlement } = exchange;
  const rows = new RowCounter({
    marks: settlement?.marks ?? ports.rowMarks,
    isWhole: settlement !== undefined || (await isFollowed(ports, prepared)),
    account: resolved.managed?.id ?? targetIdentity(resolved),
    ...outputOf(prepared, answer),
    json: ports.json,
    memory: exchange.memory,
    prices: {
      prices: exchange.snapshot.prices,
      account: { provider: provider.id, prices: pricesOf(prepared) },
      ...{ model: '', batch: true },
    },
  });
  const upstream = countedBody(body.upstream, rows);
  return { ...tried, result: { kind: 'answer', answer: { ...answer, body: { ...body, upstream, rows } } } };
}

/**
 * What the rows are the content of: whoever may write a file may write rows into it that look like those of an output, and
 * counting these must not count those.
 */
function outputOf(
  { call: { route }, operation }: Prepared,
  { file }: MappedAnswer,
): Pick<RowCounterOptions, 'output' | 'results'> {
  const { file_id: id = '', batch_id } = route;
  const batch = batch_id === undefined ? undefined : decodeURIComponent(batch_id);
  // The same rows as those of the output of the batch, which are counted once.
  if (operation.reportsRows === 'messages') return { output: `file ${batch}`, results: batch };
  if (file !== undefined) return { output: `file ${file}` };
  return { output: batch === undefined ? `file ${decodeURIComponent(id)}` : `batch ${batch}` };
}

/** Whether the gateway reads the output of the batch that the path names itself, so that it counts what a client has not read to its end. */
async function isFollowed({ followed }: AttemptPorts, { resolved, call }: Prepared): Promise<boolean> {
  const { batch_id: batch } = call.route;
  const account = resolved.managed?.id;
  if (batch === undefined || account === undefined) return false;
  return await followed.has({ account, batch: decodeURIComponent(batch) });
}

export interface RowCounterOptions {
  readonly marks: RowMarks;
  /** Nothing is counted of an output that is not read to its end. */
  readonly isWhole: boolean;
  /** Identifies the account. */
  readonly account: string;
  /** Identifies the output in the account. */
  readonly output: string;
  /** The message batch whose results are the rows, in the words of the provider, which have no ids. */
  readonly results?: string | undefined;
  readonly json: JsonLimits;
  readonly memory: ByteAccount;
  readonly prices: CountOptions;
}

/** Names of one output that are told apart; the rest has a share of its own. */
const MAX_MODELS = 19;
/** Units: characters. */
const MAX_MODEL = 256;
const NO_COST: Cost = { nanoDollars: 0, unpriced: false };
const NO_SHARE: Pick<ModelShare, 'usage' | 'cost'> = { usage: NO_USAGE, cost: NO_COST };

const addCost = (one: Cost, other: Cost): Cost => ({
  nanoDollars: one.nanoDollars + other.nanoDollars,
  unpriced: one.unpriced || other.unpriced,
});

const isUsed = ({ input, output, cached }: TokenUsage): boolean => input + output + cached > 0;

const LF = 0x0a;
const BRACE = 0x7b;

export class RowCounter implements PieceCounter {
  readonly #options: RowCounterOptions;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Of the line that is under way nothing is held: it is too long. */
  #isSkipping = false;
  /** Undefined: no row was seen so far. `none`: the body is no output. */
  #key: string | 'none' | undefined;
  #hasBegun = false;
  #before = 0;
  #rows = 0;
  #isEnded = false;
  /** Others count these rows. */
  #isTaken = false;
  #usage: TokenUsage | undefined;
  readonly #shares = new Map<string, ModelShare>();
  #nanoDollars = 0;
  /** Of rows that say no model, or are of further ones. */
  #rest: ModelShare | undefined;

  constructor(options: RowCounterOptions) {
    this.#options = options;
  }

  take(piece: Buffer): Promise<void> | undefined {
    if (this.#key === 'none') return undefined;
    if (!this.#hasBegun && piece.length > 0) {
      this.#hasBegun = true;
      if (piece[0] !== BRACE) this.#key = 'none'; // nothing of other files is held
    }
    return this.#takeFrom(piece, 0);
  }

  finish(): Promise<void> | undefined {
    const begun = this.#endLine();
    return begun === undefined ? this.#end() : begun.then(() => this.#end());
  }

  close(): void {
    this.#forget();
    if (this.#isEnded) return;
    if (this.#options.isWhole) this.#isTaken = true;
    else void this.#claim(); // who reads has left: nobody waits
  }

  #end(): Promise<void> | undefined {
    this.#isEnded = true;
    return this.#claim()?.then((isOurs) => {
      this.#isTaken = !isOurs;
    });
  }

  /** False: somebody else has counted these rows meanwhile. Undefined: there are none. */
  #claim(): Promise<boolean> | undefined {
    if (this.#key === undefined || this.#key === 'none' || this.#rows <= this.#before) return undefined;
    return this.#options.marks.claim(this.#key, { before: this.#before, rows: this.#rows });
  }

  /** What the rows so far used that were not counted before. */
  counted(): CountedAnswer {
    if (this.#usage === undefined || this.#isTaken) return NOTHING_COUNTED;
    const named = [...this.#shares.values()];
    const shares = this.#rest === undefined ? named : [...named, this.#rest];
    return {
      usage: this.#usage,
      model: named.length === 1 ? named[0]?.model : undefined,
      estimated: false,
      cost: { nanoDollars: this.#nanoDollars, unpriced: shares.some(({ cost }) => cost.unpriced) },
      shares,
    };
  }

  #takeFrom(piece: Buffer, start: number): Promise<void> | undefined {
    if (this.#key === 'none') return undefined;
    let from = start;
    for (let end = piece.indexOf(LF, from); end >= 0; end = piece.indexOf(LF, from)) {
      this.#hold(piece.subarray(from, end));
      from = end + 1;
      const next = from;
      const begun = this.#endLine();
      if (begun !== undefined) return begun.then(() => this.#takeFrom(piece, next));
      if (this.#key === 'none') return undefined;
    }
    this.#hold(piece.subarray(from));
    return undefined;
  }

  #hold(bytes: Buffer): void {
    if (this.#isSkipping || bytes.length === 0) return;
    const { memory } = this.#options;
    if (this.#heldBytes + bytes.length > MAX_ROW_BYTES || !memory.take(bytes.length)) {
      this.#forget();
      this.#isSkipping = true;
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #forget(): void {
    this.#options.memory.give(this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** A line that is too long is a row, whose use is not known. */
  #endLine(): Promise<void> | undefined {
    if (this.#key === 'none') return undefined;
    const line = Buffer.concat(this.#held, this.#heldBytes);
    const isSkipped = this.#isSkipping;
    this.#forget();
    this.#isSkipping = false;
    if (line.length === 0 && !isSkipped) return undefined;
    const row = isSkipped ? undefined : this.#parsed(line);
    if (this.#key !== undefined) {
      this.#add(row);
      return undefined;
    }
    return this.#begin(row).then(() => {
      if (this.#key !== 'none') this.#add(row);
    });
  }

  #add(row: JsonObject | undefined): void {
    this.#rows += 1;
    if (this.#rows > this.#before) this.#count(row);
  }

  /** With the first row: a file may get other content. */
  async #begin(row: JsonObject | undefined): Promise<void> {
    const id = this.#idOf(row);
    if (id === undefined) {
      this.#key = 'none';
      return;
    }
    const { account, output, marks } = this.#options;
    this.#key = hash('sha256', JSON.stringify([account, output, id]));
    this.#before = await marks.read(this.#key);
  }

  /** Of the first row; undefined: it is no row of an output. */
  #idOf(row: JsonObject | undefined): string | undefined {
    const { results } = this.#options;
    if (results !== undefined) return outputRowId(results, 1); // whatever the first line is
    const isRow = typeof row?.['custom_id'] === 'string' && ('response' in row || 'error' in row);
    const id = row?.['id'];
    return isRow && typeof id === 'string' ? id : undefined;
  }

  #count(row: JsonObject | undefined): void {
    this.#usage ??= NO_USAGE;
    if (row === undefined) {
      this.#share('', NO_USAGE, { nanoDollars: 0, unpriced: true });
      return;
    }
    const { usage, nanoDollars, unpriced, model } = countBody(row, this.#options.prices);
    this.#usage = addUsage(this.#usage, usage);
    const cost = Math.min(nanoDollars, Number.MAX_SAFE_INTEGER - this.#nanoDollars);
    this.#nanoDollars += cost;
    if (model !== '' || unpriced || isUsed(usage)) this.#share(model, usage, { nanoDollars: cost, unpriced });
  }

  #share(name: string, usage: TokenUsage, cost: Cost): void {
    const isNamed =
      this.#shares.has(name) || (name !== '' && name.length <= MAX_MODEL && this.#shares.size < MAX_MODELS);
    const before = (isNamed ? this.#shares.get(name) : this.#rest) ?? NO_SHARE;
    const share = {
      model: isNamed ? name : undefined,
      usage: addUsage(before.usage, usage),
      cost: addCost(before.cost, cost),
    };
    if (isNamed) this.#shares.set(name, share);
    else this.#rest = share;
  }

  #parsed(line: Buffer): JsonObject | undefined {
    try {
      const value = readJson(line, this.#options.json);
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}
