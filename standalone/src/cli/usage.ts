import { parseJson } from '@gatehouse/crds';
import {
  type BudgetRow,
  byNearestEnd,
  formatAmount,
  USAGE_PATH,
  usageReport,
  usedPercent,
} from '@gatehouse/crds/usage';
import { toPrintable } from '../terminal/index.ts';
import type { Command, Invocation } from './command.ts';
import { CommandError, UsageError } from './shell.ts';

const TOKEN_VARIABLE = 'GATEHOUSE_ADMIN_TOKEN';
const ADMIN_PORT = 8789;
const TIMEOUT_MS = 10_000;
/** Of one answer, with the longest names. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Longer names are cut in the table. */
const MAX_CELL = 48;

/** Prints what budgets have used, as running gateways know it. */
export const usage: Command = {
  name: 'usage',
  summary: 'prints who has spent what of which budget, from running gateways',
  options: {
    url: {
      value: 'URL,...',
      summary: 'admin listeners of gateways (GATEHOUSE_ADMIN_PORT, else 8789, of this machine)',
    },
    token: { value: 'TOKEN', summary: `their bearer token (${TOKEN_VARIABLE})` },
    json: { summary: 'prints JSON' },
  },
  notes: [
    'A gateway knows the budgets that its requests have met since it started; those with the least left come first.',
    'What several gateways know of is shown once, with the largest use.',
    'For a pod: kubectl -n gatehouse-gateways port-forward POD 8789, with the token of the Secret FLEET-admin.',
  ],
  examples: [
    { purpose: 'of the process on this machine', line: 'gatehouse usage' },
    { purpose: 'for other programs', line: 'gatehouse usage --url http://127.0.0.1:8789 --json' },
  ],
  async run({ shell, options }) {
    const reports = await Promise.all(urlsOf(options, shell).map((url) => read(url, tokenOf(options, shell))));
    const rows = merge(reports.flatMap(({ budgets }) => budgets));
    if (options['json'] === 'true') shell.out(JSON.stringify(rows.map(toJson), null, 2));
    else for (const line of tableOf(rows)) shell.out(line);
    if (reports.some(({ more }) => more)) shell.err('There are further budgets, with more left');
    return 0;
  },
};

type Options = Invocation['options'];

function urlsOf({ url = '' }: Options, { variables }: Invocation['shell']): readonly URL[] {
  const given = url === '' ? `http://127.0.0.1:${variables['GATEHOUSE_ADMIN_PORT'] || ADMIN_PORT}` : url;
  return given.split(',').map((text) => {
    const url = URL.parse(text.trim());
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new UsageError(`--url takes http or https URLs, not ${text}`);
    return url;
  });
}

/** Header values are Latin-1 in one line. */
function tokenOf({ token }: Options, { variables }: Invocation['shell']): string | undefined {
  const given = token ?? variables[TOKEN_VARIABLE];
  if (given !== undefined && !/^[\x21-\x7e]*$/.test(given))
    throw new UsageError('the token has characters that no header can carry');
  return given === '' ? undefined : given;
}

async function read(url: URL, token: string | undefined) {
  const answer = await fetch(new URL(USAGE_PATH, url), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new CommandError(`no gateway answers at ${url.origin} (${causeOf(error)}); its admin listener is meant`);
  });
  if (answer.status === 401) throw new CommandError(`${url.origin} wants a token: --token or ${TOKEN_VARIABLE}`);
  if (answer.status === 404)
    throw new CommandError(`${url.origin} is no admin listener of a gateway that counts budgets`);
  const report = answer.ok ? usageReport.safeParse(parse(await textOf(answer, url))).data : undefined;
  if (report === undefined)
    throw new CommandError(`${url.origin} answered ${answer.status} without the use of budgets`);
  return report;
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new CommandError(`the answer of ${url.origin} is too large`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Of the reports about a counter the newest period counts, and in it the largest use. */
function merge(rows: readonly BudgetRow[]): readonly BudgetRow[] {
  const merged = new Map<string, BudgetRow>();
  for (const row of rows) {
    const known = merged.get(row.id);
    const isNews =
      known === undefined ||
      row.periodStartMs > known.periodStartMs ||
      (row.periodStartMs === known.periodStartMs && row.used > known.used);
    if (isNews) merged.set(row.id, row);
  }
  return [...merged.values()].sort(byNearestEnd);
}

/** Kinds of owners as users know them. */
const KINDS: Readonly<Record<BudgetRow['owner']['kind'], string>> = {
  key: 'ApiKey',
  workspace: 'Workspace',
  provider: 'Provider',
  access: 'IntegrationAccess',
  policy: 'UsageLimitPolicy',
};

const UNITS = { cost: 'USD', tokens: 'tokens', requests: 'requests' } as const;

/** A subject of tokens has budgets as a key has, and no resource. */
const kindOf = ({ kind, id }: BudgetRow['owner']): string => (id.startsWith('token/') ? 'token' : KINDS[kind]);

const toJson = ({ owner, slot, name, type, limit, used, periodStartMs, resetsAtMs }: BudgetRow): object => ({
  kind: kindOf(owner),
  owner: owner.slug,
  ...(slot === '' ? {} : { workspace: slot }),
  ...(owner.bucket === undefined ? {} : { group: owner.bucket }),
  ...{ budget: name, type, used: formatAmount(type, used), limit: formatAmount(type, limit) },
  usedPercent: usedPercent({ used, limit }),
  periodStart: new Date(periodStartMs).toISOString(),
  ...(resetsAtMs === undefined ? {} : { nextReset: new Date(resetsAtMs).toISOString() }),
});

const HEAD = ['KIND', 'OWNER', 'WORKSPACE', 'BUDGET', 'USED', 'LIMIT', '%', 'RESET'];

function tableOf(rows: readonly BudgetRow[]): readonly string[] {
  if (rows.length === 0) return ['No budget has been used since the gateway started'];
  const lines = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function cellsOf({ owner, slot, name, type, used, limit, resetsAtMs }: BudgetRow): string[] {
  const budget = owner.bucket === undefined ? name : `${name} ${owner.bucket}`;
  const unit = UNITS[type];
  return [
    kindOf(owner),
    owner.slug,
    slot === '' ? '-' : slot,
    budget,
    `${shortAmount(type, used)} ${unit}`,
    shortAmount(type, limit),
    String(usedPercent({ used, limit })),
    resetsAtMs === undefined ? 'never' : new Date(resetsAtMs).toISOString().slice(0, 10),
  ].map((cell) => toPrintable(cell).slice(0, MAX_CELL));
}

/** Dollars with six decimals at most: the JSON has them all. */
const shortAmount = (type: BudgetRow['type'], amount: number): string =>
  formatAmount(type, type === 'cost' ? Math.round(amount / 1_000) * 1_000 : amount);
