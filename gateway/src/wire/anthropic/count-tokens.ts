/** A chat request as one that counts its tokens. */
import type { JsonObject } from '../contract.ts';

/** Members that the vendor counts; it refuses others. Source: the vendor's API reference, "Count tokens in a Message". */
const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'] as const;

/** `body`: of the messages API. */
export const toCountBody = (body: JsonObject): JsonObject =>
  Object.fromEntries(COUNTED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
