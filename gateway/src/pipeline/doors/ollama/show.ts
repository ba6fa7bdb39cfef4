/** `POST /api/show` over what is known of a model. */
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DETAILS } from './tags.ts';

/** What a model can is not known: these are what its provider offers. */
const OF_CHATS = ['completion', 'tools', 'vision'];
const OF_VECTORS = ['embedding'];

export const ollamaShow: Door = {
  enter: (given) => ({
    params: { model: given['model'] ?? given['name'] }, // the older name
    dropped: [],
    toClient: toShown,
  }),
};

function toShown(model: JsonObject): object {
  const provider = textAt(model, 'owned_by') ?? '';
  const id = textAt(model, 'id') ?? '';
  return {
    modelfile: '',
    parameters: '',
    template: '',
    license: '',
    modified_at: new Date(0).toISOString(),
    details: { ...DETAILS, parent_model: textAt(model, 'base_model') ?? '', family: provider },
    model_info: { 'general.architecture': provider, 'general.basename': textAt(model, 'display_name') ?? id },
    capabilities: [...(model['chats'] === true ? OF_CHATS : []), ...(model['embeds'] === true ? OF_VECTORS : [])],
  };
}
