/** What every client program of this folder shares: it does its checks one after another and prints one line of JSON. */
import { createRequire } from 'node:module';

/** Where the gateway is, without a path. */
export const url = process.env.GATEWAY_URL;
export const key = process.env.GATEWAY_KEY;
/** A key with a limit of ten requests per minute. */
export const limitedKey = process.env.GATEWAY_LIMITED_KEY;
export const wrongKey = 'gwk_wrong_key_0000000000000000000000000000000';

export const QUESTION = 'What is the weather in Paris?';
/** An answer that never ends: the provider falls silent in the middle. */
export const ENDLESS = 'mock-stall-900';
/** An answer that does not begin. */
export const SILENT = 'mock-delay-600000';

export function equal(actual, expected, what = 'value') {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: expected ${right}, found ${left}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

export function includes(text, part) {
  ok(typeof text === 'string' && text.includes(part), `expected a text with ${part}, found ${JSON.stringify(text)}`);
}

/** The error of a call that has to fail; its class is checked where one is given. */
export async function failure(call, kind) {
  let answer;
  try {
    answer = await call();
  } catch (error) {
    ok(
      kind === undefined || error instanceof kind,
      `expected ${kind?.name}, found ${error?.constructor?.name}: ${error?.message}`,
    );
    return error;
  }
  throw new Error(`expected an error, found ${JSON.stringify(answer)}`);
}

/** Calls until the limit of the key is reached. */
export async function failureOfLimit(call, kind) {
  for (let calls = 0; calls < 21; calls += 1) {
    try {
      await call();
    } catch (error) {
      ok(kind === undefined || error instanceof kind, `expected ${kind?.name}, found ${error?.constructor?.name}`);
      return error;
    }
  }
  throw new Error('expected 429 after ten calls');
}

/** Seconds in a Retry-After header, positive. */
export function positiveSeconds(header) {
  ok(Number(header) > 0, `expected seconds in Retry-After, found ${header}`);
}

/** Runs the checks and prints `{versions, results}`; `packages` are those whose versions are reported. */
export async function runChecks(packages, checks) {
  const results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      results[name] = 'passed';
    } catch (error) {
      results[name] = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
  }
  const require = createRequire(import.meta.url);
  const versions = Object.fromEntries(packages.map((name) => [name, versionOf(require, name)]));
  process.stdout.write(`${JSON.stringify({ versions, results })}\n`, () => process.exit(0));
}

/** From the installed package, whose manifest may not be exported. */
function versionOf(require, name) {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return require(`${folder}/${name}/package.json`).version;
    } catch {
      // another folder
    }
  }
  return undefined;
}
