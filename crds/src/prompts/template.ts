/**
 * Templates of prompts: Mustache without lambdas. The library reads the text; what it makes is a tree of our own, so that
 * rendering has bounds and looks only at members that the variables have themselves.
 */
import Mustache from 'mustache';
import { err, ok, type Result } from '../lib/result.ts';
import { parsePartialReference } from './reference.ts';

/** Bounds of one template. Together with the size of its text they bound the work of reading and rendering it. */
export const MAX_TEMPLATE = 65_536;
export const MAX_TEMPLATE_DEPTH = 16;
export const MAX_TEMPLATE_NODES = 4_096;
const MAX_PATH = 16;
const MAX_NAME = 256;
/** Longest run of blanks: the library searches each of them for the end of a tag. */
const MAX_BLANKS = 1_000;

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  /** An empty path is the current item (`{{.}}`). */
  | { readonly kind: 'variable'; readonly path: readonly string[] }
  | {
      readonly kind: 'section';
      readonly path: readonly string[];
      /** `{{^name}}`: shown where the value is missing, false or empty. */
      readonly inverted: boolean;
      readonly children: readonly TemplateNode[];
    }
  | { readonly kind: 'partial'; readonly reference: string }
  /** `{{>>name}}`: the value of the variable is the reference. */
  | { readonly kind: 'variablePartial'; readonly name: string };

export interface Template {
  readonly nodes: readonly TemplateNode[];
  /** References to partials, each once, in their order. */
  readonly partials: readonly string[];
  /** Variables whose values name partials. */
  readonly variablePartials: readonly string[];
  /** The first names of variables, in their order. */
  readonly variables: readonly string[];
}

/** Reads a template. The error is one sentence about the first problem. */
export function parseTemplate(text: string): Result<Template, string> {
  if (text.length > MAX_TEMPLATE) return err(`the template has more than ${MAX_TEMPLATE} characters`);
  if (hasLongBlanks(text)) return err(`the template has more than ${MAX_BLANKS} blanks in a row`);
  const writer = new Mustache.Writer();
  // The cache of the library never forgets.
  Object.assign(writer, { templateCache: undefined });
  try {
    const reader = new Reader();
    const nodes = reader.read(writer.parse(text) as readonly Token[], 0);
    return ok({ nodes, ...reader.names() });
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

/** As the library makes them: type, value, positions and, of sections, the tokens inside. */
type Token = readonly [type: string, value: string, start: number, end: number, inside?: unknown];

class Reader {
  #count = 0;
  readonly #partials = new Set<string>();
  readonly #variablePartials = new Set<string>();
  readonly #variables = new Set<string>();

  names(): Omit<Template, 'nodes'> {
    return {
      partials: [...this.#partials],
      variablePartials: [...this.#variablePartials],
      variables: [...this.#variables],
    };
  }

  read(tokens: readonly Token[], depth: number): readonly TemplateNode[] {
    if (depth > MAX_TEMPLATE_DEPTH) throw new RangeError(`sections are nested deeper than ${MAX_TEMPLATE_DEPTH}`);
    return tokens.flatMap((token) => this.#node(token, depth));
  }

  #node([type, value, , , inside]: Token, depth: number): readonly TemplateNode[] {
    this.#count += 1;
    if (this.#count > MAX_TEMPLATE_NODES)
      throw new RangeError(`the template has more than ${MAX_TEMPLATE_NODES} parts`);
    switch (type) {
      case 'text':
        return [{ kind: 'text', text: value }];
      case 'name':
      case '&':
        return [{ kind: 'variable', path: this.#path(value) }];
      case '#':
      case '^': {
        const path = this.#path(value);
        const children = this.read(inside as readonly Token[], depth + 1);
        return [{ kind: 'section', path, inverted: type === '^', children }];
      }
      case '>':
        return [value.startsWith('>') ? this.#variablePartial(value.slice(1).trim()) : this.#partial(value)];
      default:
        return []; // comments and other delimiters
    }
  }

  #path(name: string): readonly string[] {
    if (name === '.') return [];
    const path = name.split('.');
    const isGood = name.length <= MAX_NAME && path.length <= MAX_PATH && path.every((step) => step.trim() !== '');
    if (!isGood) throw new SyntaxError(`${JSON.stringify(name.slice(0, MAX_NAME))} is not the name of a variable`);
    const [first = ''] = path;
    this.#variables.add(first);
    return path;
  }

  #partial(reference: string): TemplateNode {
    const parsed = parsePartialReference(reference);
    if (!parsed.ok) throw new SyntaxError(`{{>${reference.slice(0, MAX_NAME)}}}: ${parsed.error}`);
    this.#partials.add(reference);
    return { kind: 'partial', reference };
  }

  #variablePartial(name: string): TemplateNode {
    if (name === '' || name.length > MAX_NAME) throw new SyntaxError('{{>>…}} needs the name of a variable');
    this.#variablePartials.add(name);
    return { kind: 'variablePartial', name };
  }
}

function hasLongBlanks(text: string): boolean {
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    run = isBlank(text.charCodeAt(i)) ? run + 1 : 0;
    if (run > MAX_BLANKS) return true;
  }
  return false;
}

/** What `\s` of regular expressions matches, and more: everything beyond Latin-1 that may be a space. */
const isBlank = (code: number): boolean =>
  code === 0x20 ||
  (code >= 0x09 && code <= 0x0d) ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000 ||
  code === 0xfeff;
