/** Reads what `node --cpu-prof` writes: where the time goes. */

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  /** Ids of the nodes that were running. */
  readonly samples: readonly number[];
  /** Time from the sample before, in µs. */
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly name: string;
  readonly selfMs: number;
  /** Of the time in which the process was not idle, in percent. */
  readonly percent: number;
}

const IDLE = '(idle)';

/** Self time by what `nameOf` calls a place, largest first, idle time left out. */
export function selfTimes(profile: CpuProfile, nameOf: (place: Place) => string): readonly Share[] {
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, toPlace(callFrame)]));
  const sums = new Map<string, number>();
  let total = 0;
  for (const [at, id] of profile.samples.entries()) {
    const place = places.get(id);
    if (place === undefined || place.name === IDLE) continue;
    const micros = profile.timeDeltas[at] ?? 0;
    const name = nameOf(place);
    sums.set(name, (sums.get(name) ?? 0) + micros);
    total += micros;
  }
  return [...sums]
    .map(([name, micros]) => ({ name, selfMs: micros / 1_000, percent: total === 0 ? 0 : (100 * micros) / total }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

export interface Place {
  /** Of the function; in parentheses for what is not JavaScript. */
  readonly name: string;
  /** `undici/lib/…`, `gateway/src/…`, `node:net`; empty for what is not JavaScript. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

function toPlace({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): Place {
  return { name: functionName === '' ? '(anonymous)' : functionName, file: shortFile(url), line: lineNumber + 1 };
}

/** Below `node_modules`, or below the checkout. */
function shortFile(url: string): string {
  const inPackage = url.lastIndexOf('/node_modules/');
  if (inPackage >= 0) return url.slice(inPackage + '/node_modules/'.length);
  return /(?:crds|gateway|test)\/(?:src|bench)\/.*$/.exec(url)?.[0] ?? url;
}

export const byFunction = ({ name, file, line }: Place): string => (file === '' ? name : `${name} ${file}:${line}`);

/** The package, Node's own module, or the folder of this repository. */
export function byArea({ name, file }: Place): string {
  if (file === '') return name;
  if (file.startsWith('node:')) return 'node';
  const [first = '', second = '', third = ''] = file.split('/');
  if (second === 'src' || first === 'test') return `${first}/${second}/${third.replace(/\.ts$/, '')}`;
  return first.startsWith('@') ? `${first}/${second}` : first;
}
