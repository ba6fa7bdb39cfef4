import { modelSlugOf } from '@gatehouse/crds/config';
import { type PromptText, readPartialText, readPromptText, type Template, templatesOf } from '@gatehouse/crds/prompts';
import type { PromptTemplateBody } from '@gatehouse/crds/snapshot';

type Members = Readonly<Record<string, unknown>>;

/** One version of a prompt, with its templates read. */
export interface CompiledTemplate {
  readonly text: PromptText;
  /** `chat`: it renders to messages. */
  readonly kind: 'chat' | 'text';
  /** References to partials, and names of variables whose values are such references; each once. */
  readonly partials: readonly string[];
  readonly variablePartials: readonly string[];
  readonly model: string | undefined;
  /** Slug of a managed provider. */
  readonly provider: string | undefined;
  readonly variables: Members;
  readonly parameters: Members;
}

/** A version that a reference has led to. */
export interface CompiledPrompt {
  readonly slug: string;
  /** Null: a prompt of the organisation. */
  readonly workspace: string | null;
  readonly version: number;
  readonly template: CompiledTemplate;
}

export interface CompiledPartial {
  readonly version: number;
  readonly template: Template;
}

/** Undefined for a template that this version cannot read. */
export function compileTemplate(body: PromptTemplateBody): CompiledTemplate | undefined {
  const read = readPromptText(body);
  if (!read.ok) return undefined;
  const text = read.value;
  const templates = templatesOf(text);
  const { stream: _, ...parameters } = body.parameters ?? {}; // only callers decide about streams
  return {
    text,
    kind: text.kind === 'text' ? 'text' : 'chat',
    partials: [...new Set(templates.flatMap(({ partials }) => partials))],
    variablePartials: [...new Set(templates.flatMap(({ variablePartials }) => variablePartials))],
    ...accountOf(body),
    variables: body.variables ?? {},
    parameters,
  };
}

/** A model `@slug/model` names the provider as well. */
function accountOf({ model, provider }: PromptTemplateBody): Pick<CompiledTemplate, 'model' | 'provider'> {
  const slug = model?.startsWith('@') === true && model.includes('/') ? modelSlugOf(model) : undefined;
  if (slug === undefined) return { model, provider };
  return { model: model?.slice(slug.length + 2), provider: provider ?? slug };
}

/** Undefined for a text that this version cannot read. */
export function compilePartialText(text: string): Template | undefined {
  const read = readPartialText(text);
  return read.ok ? read.value : undefined;
}
