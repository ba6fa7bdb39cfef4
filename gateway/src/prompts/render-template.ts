/** Renders templates within bounds: variables are data, looked up only as members that they have themselves. */
import { isObject } from '@gatehouse/crds';
import type { TemplateNode } from '@gatehouse/crds/prompts';
import { DEFAULT_JSON_LIMITS, readJson } from '../lib/json/index.ts';

/** Longest rendered prompt, in characters, and most steps: parts shown and items of lists. */
export const MAX_RENDERED = 4 * 1024 * 1024;
export const MAX_STEPS = 100_000;

/** A template whose result would be beyond the bounds. */
export class RenderLimit extends Error {}

export interface Values {
  /** The variables of the call. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Rendered texts of partials, by what the template says. */
  readonly partials: ReadonlyMap<string, string>;
  readonly variablePartials: ReadonlyMap<string, string>;
}

/** Renders the templates of one prompt, which share its bounds. */
export class TemplateRenderer {
  #steps = 0;
  #size = 0;
  readonly #texts = new WeakMap<object, string>();
  readonly #parsed = new Map<string, unknown>();

  /** `inJson`: texts come to stand in JSON strings. Throws RenderLimit. */
  render(nodes: readonly TemplateNode[], values: Values, inJson: boolean): string {
    const out: string[] = [];
    const pen = { out, values, write: inJson ? inJsonString : asItIs };
    this.#nodes(nodes, pen, [values.variables]);
    return out.join('');
  }

  #nodes(nodes: readonly TemplateNode[], pen: Pen, stack: readonly unknown[]): void {
    for (const node of nodes) {
      this.#step();
      switch (node.kind) {
        case 'text':
          this.#put(node.text, pen, asItIs);
          break;
        case 'variable':
          this.#put(this.#textOf(lookUp(node.path, stack)), pen);
          break;
        case 'section':
          this.#section(node, pen, stack);
          break;
        case 'partial':
          this.#put(pen.values.partials.get(node.reference) ?? '', pen);
          break;
        case 'variablePartial':
          this.#put(pen.values.variablePartials.get(node.name) ?? '', pen);
          break;
      }
    }
  }

  #section(node: Extract<TemplateNode, { kind: 'section' }>, pen: Pen, stack: readonly unknown[]): void {
    const value = this.#readable(lookUp(node.path, stack));
    const isEmpty = Array.isArray(value) ? value.length === 0 : !value;
    if (node.inverted) {
      if (isEmpty) this.#nodes(node.children, pen, stack);
      return;
    }
    if (isEmpty) return;
    if (!Array.isArray(value)) {
      this.#nodes(node.children, pen, value === true ? stack : [...stack, value]);
      return;
    }
    for (const item of value) {
      this.#step();
      this.#nodes(node.children, pen, [...stack, item]);
    }
  }

  /** Lists and objects may come as JSON text. */
  #readable(value: unknown): unknown {
    if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
    if (!this.#parsed.has(value)) this.#parsed.set(value, parsed(value));
    return this.#parsed.get(value);
  }

  #textOf(value: unknown): string {
    if (typeof value === 'string') return value;
    if (value === null || value === undefined) return '';
    if (typeof value !== 'object') return String(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  }

  #put(text: string, { out, write }: Pen, how = write): void {
    if (this.#size + text.length > MAX_RENDERED) throw tooLong();
    const written = how(text);
    this.#size += written.length;
    if (this.#size > MAX_RENDERED) throw tooLong();
    out.push(written);
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) throw new RenderLimit(`it takes more than ${MAX_STEPS} steps to render`);
  }
}

interface Pen {
  readonly out: string[];
  readonly values: Values;
  readonly write: (text: string) => string;
}

const tooLong = (): RenderLimit => new RenderLimit(`it renders to more than ${MAX_RENDERED} characters`);

const asItIs = (text: string): string => text;
const inJsonString = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The first step is looked up from the innermost item outwards, the others inside what it gives. */
function lookUp(path: readonly string[], stack: readonly unknown[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return stack.at(-1);
  const holder = stack.findLast((item) => has(item, first));
  return rest.reduce<unknown>((value, step) => memberOf(value, step), memberOf(holder, first));
}

const has = (value: unknown, name: string): boolean =>
  (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, name);

const memberOf = (value: unknown, name: string): unknown =>
  has(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

function parsed(text: string): unknown {
  try {
    return readJson(text, DEFAULT_JSON_LIMITS, { repeated: true });
  } catch {
    return text;
  }
}
