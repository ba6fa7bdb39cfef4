/** Prompts that targets of a config name in `prompt_id`. */
import { AppError } from '../../errors/index.ts';
import { mergeObjects } from '../../lib/json/index.ts';
import type { Leaf, RoutingPlan } from '../../routing/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Caller, Exchange } from '../exchange.ts';
import { findPrompt, misplaced, type PromptedRequest, type PromptUse, renderFor, useOf } from './prompted-request.ts';

const NOTHING: JsonObject = {};

export interface TargetPrompt {
  readonly use: PromptUse;
  /** The body of the call before the target shapes it. */
  readonly params: JsonObject;
  /** Slug of its provider. */
  readonly provider: string | undefined;
}

interface Used {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly prompted: PromptedRequest | undefined;
}

/**
 * Throws PROMPT_MISPLACED where a config has prompts and the request is none for prompts or one of the other kind, and
 * CONFIG_INVALID for prompts that do not exist.
 */
export function refuseBadPrompts(plan: RoutingPlan | undefined, { exchange, caller, prompted }: Used): void {
  if (plan === undefined || plan.prompts.length === 0 || exchange.operation.answerLocally !== undefined) return;
  if (prompted === undefined) {
    const names = plan.prompts.join(', ');
    throw misplaced(`The config names prompts (${names}), which only POST /v1/prompts/{prompt_id}/completions takes`);
  }
  const { prompts } = exchange.snapshot;
  const found = plan.prompts.map((name) => ({ name, prompt: prompts.prompt(caller.workspace.name, name) }));
  const missing = found.filter(({ prompt }) => prompt === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    throw new AppError('CONFIG_INVALID', {
      param: 'x-gw-config',
      detail: `The config names prompts that do not exist in the workspace ${caller.workspace.name}: ${missing.join(', ')}`,
    });
  }
  const other = found.find(({ prompt }) => prompt?.template.kind !== prompted.kind);
  if (other === undefined) return;
  throw misplaced(
    `The config names the prompt ${other.name}, which is not of the kind of ${prompted.use.slug}: ${prompted.kind}`,
  );
}

/** What the prompt of a target makes of the call; undefined: it has none of its own. Throws what rendering throws. */
export function promptOfTarget(
  { settings: { promptId } }: Pick<Leaf, 'settings'>,
  { exchange, caller, prompted }: Used,
): TargetPrompt | undefined {
  if (promptId === undefined || prompted === undefined) return undefined;
  const prompt = findPrompt(exchange, caller, promptId);
  const { variables, overrides } = prompted;
  const params = mergeObjects(renderFor(prompt, variables, exchange), overrides, NOTHING);
  return { use: useOf(prompt), params, provider: prompt.template.provider };
}
