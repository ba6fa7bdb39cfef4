import { isObject } from '@gatehouse/crds';
import type { PromptText } from '@gatehouse/crds/prompts';
import { AppError } from '../errors/index.ts';
import type { CompiledPartial, CompiledPrompt } from './compile.ts';
import { RenderLimit, TemplateRenderer, type Values } from './render-template.ts';

type Members = Readonly<Record<string, unknown>>;

/** Undefined: the reference leads to none. */
export type PartialLookup = (reference: string) => CompiledPartial | undefined;

export interface RenderedPrompt {
  /** The request body that the prompt makes: parameters, model, and `messages` or `prompt`. */
  readonly body: Members;
}

/**
 * Renders a prompt. Throws PROMPT_PARTIALS_MISSING, and PROMPT_TEMPLATE_INVALID for one that exceeds the bounds or does not
 * render to messages.
 */
export function renderPrompt(prompt: CompiledPrompt, variables: Members, partialOf: PartialLookup): RenderedPrompt {
  const { template } = prompt;
  const given = { ...template.variables, ...variables };
  const renderer = new TemplateRenderer();
  try {
    const partials = renderPartials(prompt, given, { partialOf, renderer });
    const content = contentOf(template.text, { variables: given, ...partials }, renderer);
    const model = template.model === undefined ? {} : { model: template.model };
    return { body: { ...template.parameters, ...model, ...content } };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new AppError('PROMPT_TEMPLATE_INVALID', {
      param: 'variables',
      detail: `The prompt ${prompt.slug}@${prompt.version} cannot be rendered: ${reason}`,
      cause: error,
    });
  }
}

/** Undefined: an error that is not about the template. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof RangeError) return 'a variable is nested too deep';
  return error instanceof RenderLimit || error instanceof SyntaxError ? error.message : undefined;
}

interface PartialContext {
  readonly partialOf: PartialLookup;
  readonly renderer: TemplateRenderer;
}

/** Every partial that the template names, each rendered once with the variables of the call. */
function renderPartials(
  { slug, template }: CompiledPrompt,
  variables: Members,
  { partialOf, renderer }: PartialContext,
): Omit<Values, 'variables'> {
  const texts = new Map<string, string>();
  const missing: string[] = [];
  const without = { variables, partials: new Map<string, string>(), variablePartials: new Map<string, string>() };
  const render = (reference: string): string => {
    const known = texts.get(reference);
    if (known !== undefined) return known;
    const partial = partialOf(reference);
    if (partial === undefined) missing.push(reference);
    const text = partial === undefined ? '' : renderer.render(partial.template.nodes, without, false);
    texts.set(reference, text);
    return text;
  };
  const chosen = template.variablePartials.map((name) => [name, referenceIn(variables, name)] as const);
  const unset = chosen.filter(([, reference]) => reference === undefined).map(([name]) => name);
  if (unset.length > 0) throw missingPartials(slug, `missing variable partials: ${unset.join(', ')}`);
  const partials = new Map(template.partials.map((reference) => [reference, render(reference)]));
  const variablePartials = new Map(chosen.map(([name, reference = '']) => [name, render(reference)]));
  if (missing.length > 0) throw missingPartials(slug, `missing partials: ${missing.map(shown).join(', ')}`);
  return { partials, variablePartials };
}

const MAX_SHOWN = 80;
const shown = (reference: string): string => reference.slice(0, MAX_SHOWN);

function referenceIn(variables: Members, name: string): string | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const missingPartials = (slug: string, what: string): AppError =>
  new AppError('PROMPT_PARTIALS_MISSING', {
    param: 'variables',
    detail: `The prompt ${slug} cannot be rendered: ${what}`,
  });

/** `messages` of a chat, or the `prompt` of a text completion. */
function contentOf(text: PromptText, values: Values, renderer: TemplateRenderer): Members {
  switch (text.kind) {
    case 'messages':
      return {
        messages: text.messages.map(({ fixed, content }) => ({
          ...fixed,
          content: renderer.render(content.nodes, values, false),
        })),
      };
    case 'text':
      return { prompt: renderer.render(text.template.nodes, values, false) };
    case 'json':
      return { messages: messagesIn(renderer.render(text.template.nodes, toJson(values, text.raw), !text.raw)) };
  }
}

/** In a raw template only partials are escaped. */
function toJson(values: Values, raw: boolean): Values {
  if (!raw) return values;
  const escaped = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    new Map([...texts].map(([name, text]) => [name, JSON.stringify(text).slice(1, -1)]));
  return {
    ...values,
    partials: escaped(values.partials),
    variablePartials: escaped(values.variablePartials),
  };
}

function messagesIn(json: string): readonly unknown[] {
  const messages = parsed(json);
  if (Array.isArray(messages) && messages.every(isObject)) return messages;
  throw new SyntaxError('it does not render to a JSON list of messages');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
