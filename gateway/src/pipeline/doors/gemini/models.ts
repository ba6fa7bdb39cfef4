/** `GET /v1beta/models` over the list of models. */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectsAt, textAt } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';

const METHODS = ['generateContent', 'streamGenerateContent', 'embedContent'];

export const geminiModels: Door = {
  enter: () => ({
    params: {},
    dropped: [],
    toClient: (answer) => ({ models: objectsAt(answer, 'data').map(toModel) }),
  }),
};

function toModel(model: JsonObject): object {
  const id = textAt(model, 'id') ?? '';
  return { name: `models/${id}`, displayName: id, supportedGenerationMethods: METHODS };
}
