/** A recorded decision beside the one of now. */
import { LOG_COLUMNS, type LogRow } from '@gatehouse/crds/logs';
import type { RecordedRequest, Replayed, ReplayedDecision } from '@gatehouse/gateway';

/** `possible`: chance may lead there; `unknown`: the record does not tell. */
export type Verdict = 'same' | 'possible' | 'differs' | 'unknown';

export interface Compared {
  readonly what: string;
  readonly recorded: string;
  readonly now: string;
  readonly verdict: Verdict;
}

export interface Comparison {
  readonly rows: readonly Compared[];
  /** What cannot be known, and what was assumed. */
  readonly notes: readonly string[];
}

const NONE = '-';

const REFUSED = {
  key: 'not in the resources',
  expired: 'expired',
  operation: 'not an operation of this version',
} as const;

export function compare(recorded: RecordedRequest, replayed: Replayed): Comparison {
  const final = finalOf(recorded);
  if (replayed.kind === 'refused') {
    const { why } = replayed;
    const [what, was] = why === 'operation' ? ['operation', final.operation] : ['key', final.api_key];
    return { rows: [{ what, recorded: was ?? NONE, now: REFUSED[why], verdict: 'differs' }], notes: [] };
  }
  const { decision } = replayed;
  const key = told('key', final.api_key, final.api_key);
  const isCutShort = isRefusedByLimit(recorded);
  const limits = setRow('limits', final.decision.limits?.map(({ id }) => id) ?? [], decision.limits, isCutShort);
  const rows = [
    ...configRows(final, decision),
    told('prompt', promptOf(final), decision.prompt),
    told('error', final.provider === null && triedOf(recorded).length === 0 ? final.error : null, decision.error),
    ...targetRows(recorded, replayed),
    limits,
    setRow('guardrails', guardrailsOf(recorded), decision.guardrails, isCutShort),
    ...priceRow(final, replayed),
  ];
  const isUndecided = isCutShort && triedOf(recorded).length === 0 && limits.verdict !== 'differs';
  return {
    rows: [key, ...(isUndecided ? rows.map(undecided) : rows)],
    notes: notesOf(recorded, replayed),
  };
}

/** The final row, else the last one. */
export const finalOf = ({ rows }: Pick<RecordedRequest, 'rows'>): LogRow => {
  const row = rows.find(({ is_final }) => is_final) ?? rows.at(-1);
  if (row === undefined) throw new Error('a request has at least one row');
  return row;
};

type Text = string | number | null | undefined;

const told = (what: string, recorded: Text, now: Text): Compared => ({
  what,
  recorded: String(recorded ?? NONE),
  now: String(now ?? NONE),
  verdict: (recorded ?? undefined) === (now ?? undefined) ? 'same' : 'differs',
});

/** A generation that only one side has says nothing: records of earlier versions have none. */
function configRows(final: LogRow, { config, configVersion, configGeneration, mode }: ReplayedDecision) {
  const generation = told('generation', final.decision.config_generation, configGeneration);
  const isKnown = generation.recorded !== NONE && generation.now !== NONE;
  return [
    told('config', final.config, config),
    told('version', final.config_version, configVersion),
    isKnown || generation.verdict === 'same' ? generation : { ...generation, verdict: 'unknown' as const },
    told('mode', final.mode, mode),
  ];
}

const promptOf = ({ prompt, prompt_version: version }: LogRow): string | undefined =>
  prompt === null ? undefined : `${prompt}@${version}`;

/** The targets that were tried. Rows of calls that the gateway made for the request have none; after one that has counted the rows of a batch come those of their models. */
const triedOf = ({ rows }: RecordedRequest): readonly LogRow[] =>
  rows.filter((row, at) => row.target !== null && rows.findIndex(({ attempt }) => attempt === row.attempt) === at);

/** One line for each target, in the order in which they are tried. Of a final row alone the last target is compared. */
function targetRows(
  recorded: RecordedRequest,
  { decision, isRandom, isGuess }: Extract<Replayed, { kind: 'decided' }>,
) {
  const before = triedOf(recorded).map(({ target, provider, account, model }) =>
    textOf({ target, provider, account, model }),
  );
  const after = decision.targets.map(textOf);
  const was = recorded.isWhole ? before : before.slice(-1);
  const now = recorded.isWhole ? after : after.slice(-1);
  return Array.from({ length: Math.max(was.length, now.length) }, (_, at): Compared => {
    const row = told(recorded.isWhole ? `target ${at + 1}` : 'last target', was[at], now[at]);
    if (isGuess && row.verdict === 'differs') return { ...row, verdict: 'unknown' };
    return isRandom && row.verdict === 'same' ? { ...row, verdict: 'possible' } : row;
  });
}

interface Target {
  readonly target: string | null;
  readonly provider: Text;
  readonly account: Text;
  readonly model: Text;
}

const textOf = ({ target, provider, account, model }: Target): string =>
  [target, account ? `@${account}` : provider, model].filter(Boolean).join(' ');

/** In any order. `isCutShort`: what would have been asked after the last one recorded is not known. */
function setRow(what: string, recorded: readonly string[], now: readonly string[], isCutShort: boolean): Compared {
  const row = told(what, listOf(recorded), listOf(now));
  const isBeginning = isCutShort && recorded.every((name) => now.includes(name));
  return isBeginning && row.verdict === 'differs' ? { ...row, verdict: 'unknown' } : row;
}

/** What limits would say is not known: here they let everything pass. */
const isRefusedByLimit = ({ rows }: RecordedRequest): boolean =>
  rows.some(({ decision: { limits = [] } }) => limits.some(({ passed }) => !passed));

/** Of a request that a limit has refused before any target was tried: it had not come to what is not recorded, and may not come to it now. */
function undecided(row: Compared): Compared {
  const isOpen = row.verdict === 'differs' && (row.recorded === NONE || row.what === 'error');
  return isOpen ? { ...row, verdict: 'unknown' } : row;
}

const listOf = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : [...new Set(names)].toSorted().join(', ');

const guardrailsOf = ({ rows }: RecordedRequest): readonly string[] =>
  rows.flatMap(({ decision: { guardrails = [] } }) =>
    guardrails.flatMap(({ id, phase }) => (phase === 'input' ? [id] : [])),
  );

function priceRow(final: LogRow, { rating }: Extract<Replayed, { kind: 'decided' }>): readonly Compared[] {
  if (rating === undefined || final.cost_nano === null) return [];
  const recorded = priceOf(final);
  if (rating.kind === 'left') return [{ what: 'price', recorded, now: 'cannot be computed', verdict: 'unknown' }];
  const now = rating.kind === 'same' ? recorded : priceOf(rating.row);
  return [{ what: 'price', recorded, now, verdict: rating.kind === 'same' ? 'same' : 'differs' }];
}

const NANO = 1e9;

const priceOf = ({ cost_nano: nano, decision: { price } }: LogRow): string =>
  nano === null ? NONE : `${(nano / NANO).toFixed(9)} USD (${price ?? 'no price'})`;

function notesOf(recorded: RecordedRequest, replayed: Extract<Replayed, { kind: 'decided' }>): readonly string[] {
  const final = finalOf(recorded);
  return [
    ...(replayed.hasHeaders
      ? []
      : ['headers were not kept: what the row says of config, account and metadata was asked for']),
    ...(replayed.hasBody || final.method === 'GET'
      ? []
      : ['the body was not kept as a whole: conditions, guardrails and limits that read it cannot be told']),
    ...(recorded.isWhole ? [] : ['the file has the last attempt alone: attempts before it are taken for failed ones']),
    ...(final.cache?.endsWith('HIT') ? ['it was answered from the cache, which is empty here'] : []),
    ...(replayed.isRandom ? ['chance decides: what is possible need not happen'] : []),
    ...(isRefusedByLimit(recorded) ? ['a limit refused it: what was not decided behind that limit is unknown'] : []),
    'limits and budgets are those that are asked; what was left of them is not known',
  ];
}

/** A row of which some columns are known: others are empty. */
export function rowWith(known: Partial<LogRow>): LogRow {
  const empty = Object.entries(LOG_COLUMNS).map(([name, kind]) => [name, EMPTY[kind]] as const);
  return { ...(Object.fromEntries(empty) as unknown as LogRow), ...known }; // every column has a value of its kind
}

const EMPTY = { uuid: '', time: 0, text: null, small: 0, whole: 0, real: 0, flag: false, json: {} } as const;
