/**
 * Which paths proxied calls reach with a stored credential: the ones a provider lists. What a vendor serves beside its models
 * under the same key (users, keys, billing, logging, deployments) is the business of the account's owner.
 */
import type { TargetFields } from '../contract.ts';

/** A call as the upstream would see it; the path is encoded and has no query. */
export interface ProxiedCall {
  readonly method: string;
  readonly path: string;
}

export interface DataPlane {
  /** Whether the call is for one of the paths; `place` tells what a `{name}` of a pattern stands for. */
  admits(call: ProxiedCall, place: (name: string) => string | undefined): boolean;
}

interface Pattern {
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly segments: readonly Segment[];
  /** Any number of segments may follow. */
  readonly open: boolean;
}

type Segment = { readonly kind: 'text'; readonly text: RegExp } | { readonly kind: 'place'; readonly name: string };

/**
 * Compiles patterns of the form `GET|POST /files/*`. `*` for the methods is every method. In a segment `*` is any text without
 * a colon, which begins the method of a resource in some APIs; `<any>` is any text; `{name}` is a value of the account. `**` at
 * the end is any number of segments. Patterns are constants of the program: a mistake in one throws.
 */
export function compileDataPlane(patterns: readonly string[]): DataPlane {
  const compiled = patterns.map(compilePattern);
  return {
    admits: ({ method, path }, place) => {
      const segments = segmentsOf(path);
      return (
        segments !== undefined &&
        compiled.some(
          (pattern) =>
            (pattern.methods === undefined || pattern.methods.has(method.toUpperCase())) &&
            fits(pattern, segments, place),
        )
      );
    },
  };
}

function compilePattern(text: string): Pattern {
  const match = /^(\*|[A-Z|]+) (\/\S*)$/.exec(text);
  if (match === null) throw new Error(`${text} is no pattern of a path`);
  const [, methods = '', path = ''] = match;
  const parts = path.slice(1).split('/');
  const open = parts.at(-1) === '**';
  return {
    methods: methods === '*' ? undefined : new Set(methods.split('|')),
    segments: (open ? parts.slice(0, -1) : parts).map(compileSegment),
    open,
  };
}

function compileSegment(text: string): Segment {
  const name = /^\{([a-z_]+)\}$/.exec(text)?.[1];
  if (name !== undefined) return { kind: 'place', name };
  const source = text
    .split(/(<any>|\*)/)
    .map((part) => (part === '<any>' ? '.+' : part === '*' ? '[^:/]+' : RegExp.escape(part)))
    .join('');
  return { kind: 'text', text: new RegExp(`^${source}$`, 's') };
}

const CLIMBS = /^\.{0,2}$/;

/** The decoded segments; undefined where some server could read another path out of them. */
function segmentsOf(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    const segment = decoded(raw);
    if (segment === undefined) return undefined;
    const hidden = segment.split(/[/\\;]/);
    if (hidden.length > 1 && hidden.some((part) => CLIMBS.test(part))) return undefined;
    if (segment === '.' || segment === '..' || [...segment].some((char) => char < ' ')) return undefined;
    segments.push(segment);
  }
  // A slash at the end names the same collection; anywhere else an empty segment may vanish on the way.
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return segments.slice(0, -1).includes('') ? undefined : segments;
}

function decoded(text: string): string | undefined {
  try {
    const once = decodeURIComponent(text);
    // What is still encoded after that would be decoded again by a server behind another one.
    return /%(?:2e|2f|5c)/i.test(once) ? undefined : once;
  } catch {
    return undefined;
  }
}

function fits(
  { segments: wanted, open }: Pattern,
  given: readonly string[],
  place: (name: string) => string | undefined,
): boolean {
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, i) => {
    const text = given[i] ?? '';
    return segment.kind === 'place' ? text === place(segment.name) : segment.text.test(text);
  });
}

/** What an account's fields say for the places of patterns, unless the provider knows better. */
export const placesOf =
  (fields: TargetFields, own: ((name: string, fields: TargetFields) => string | undefined) | undefined) =>
  (name: string): string | undefined =>
    own?.(name, fields) ?? fields.text(name);
