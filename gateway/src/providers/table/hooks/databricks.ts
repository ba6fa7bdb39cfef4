import type { OpenAiDialect } from '../../../wire/openai/index.ts';
import type { Call } from '../../contract.ts';
import { pathText, requireModel } from '../../engine/index.ts';
import { joinContentList } from './content-list.ts';

/** The serving endpoint of the target, else the one that is called like the model; spec/providers.md 3.29. */
export function servingPath(call: Call): string {
  const name = call.fields.text('databricks_serving_endpoint_name') ?? requireModel(call);
  return `/${pathText(name, 'model')}/invocations`;
}

export const databricksChat: OpenAiDialect = { message: joinContentList };
