/** Patterns of the paths below a provider's base URL. */

/** Method and path of a call to the upstream; the path is encoded and has no query. */
export interface ProxiedCall {
  readonly method: string;
  readonly path: string;
}

export interface PathPattern {
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly segments: readonly Segment[];
  /** Any number of segments may follow. */
  readonly open: boolean;
}

type Segment = { readonly kind: 'text'; readonly text: RegExp } | { readonly kind: 'place'; readonly name: string };

/**
 * Compiles a pattern of the form `GET|POST /files/*`. `*` for the methods is every method. In a segment `*` is any text without
 * a colon, which begins the method of a resource in some APIs; `<any>` is any text, and `<model>` any text that names a model;
 * `{name}` is a value of the account. `**` at the end is any number of segments. Patterns are constants of the program: a
 * mistake in one throws.
 */
export function compilePattern(text: string): PathPattern {
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

const PARTS: Readonly<Record<string, string>> = { '<any>': '.+', '<model>': '(.+)', '*': '[^:/]+' };

function compileSegment(text: string): Segment {
  const name = /^\{([a-z_]+)\}$/.exec(text)?.[1];
  if (name !== undefined) return { kind: 'place', name };
  const source = text
    .split(/(<any>|<model>|\*)/)
    .map((part) => PARTS[part] ?? RegExp.escape(part))
    .join('');
  return { kind: 'text', text: new RegExp(`^${source}$`, 's') };
}

const CLIMBS = /^\.{0,2}$/;

/** The decoded segments; undefined for a path that servers may resolve differently. */
export function segmentsOf(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    const segment = decoded(raw);
    if (segment === undefined) return undefined;
    const hidden = segment.split(/[/\\;]/);
    if (hidden.length > 1 && hidden.some((part) => CLIMBS.test(part))) return undefined;
    if (segment === '.' || segment === '..' || [...segment].some((char) => char < ' ')) return undefined;
    segments.push(segment);
  }
  // A slash at the end names the same collection; servers may drop other empty segments.
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return segments.slice(0, -1).includes('') ? undefined : segments;
}

function decoded(text: string): string | undefined {
  try {
    const once = decodeURIComponent(text);
    // A server behind another one may decode a second time.
    return /%(?:2e|2f|5c)/i.test(once) ? undefined : once;
  } catch {
    return undefined;
  }
}

/** The texts at `<model>`, segment by segment, when method and segments match; else undefined. */
export function matchPattern(
  { methods, segments: wanted, open }: PathPattern,
  { method, segments: given }: { readonly method: string; readonly segments: readonly string[] },
  place: (name: string) => string | undefined,
): readonly string[] | undefined {
  if (methods !== undefined && !methods.has(method.toUpperCase())) return undefined;
  if (open ? given.length < wanted.length : given.length !== wanted.length) return undefined;
  const models: string[] = [];
  for (const [i, segment] of wanted.entries()) {
    const text = given[i] ?? '';
    if (segment.kind === 'place') {
      if (text !== place(segment.name)) return undefined;
      continue;
    }
    const match = segment.text.exec(text);
    if (match === null) return undefined;
    models.push(...match.slice(1));
  }
  return models;
}
