/** Configs of other gateways as resources. */

import type { Imported } from './collected.ts';
import { importLiteLlm } from './litellm.ts';
import { importPortkey } from './portkey.ts';

export type { Imported, Unmapped } from './collected.ts';

/** `name` is that of a config that has none. Undefined: the document is of neither form. */
export function importConfig(document: Readonly<Record<string, unknown>>, name: string): Imported | undefined {
  if (Array.isArray(document['model_list'])) return importLiteLlm(document);
  const isPortkey = ['strategy', 'targets', 'provider', 'virtual_key', 'retry', 'cache'].some((one) => one in document);
  return isPortkey ? importPortkey(document, name) : undefined;
}
