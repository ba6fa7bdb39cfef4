/** `GET /api/tags` over the list of models. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';

/** Nothing is known of how a provider stores a model. */
export const DETAILS = {
  parent_model: '',
  format: '',
  family: '',
  families: [],
  parameter_size: '',
  quantization_level: '',
};

export const ollamaTags: Door = {
  enter: () => ({
    params: {},
    dropped: [],
    toClient: (answer) => ({ models: objectsAt(answer, 'data').map(toTag) }),
  }),
};

function toTag(model: JsonObject): object {
  const name = textAt(model, 'id') ?? '';
  const created = new Date((numberAt(model, 'created') ?? 0) * 1_000);
  const modified = Number.isNaN(created.getTime()) ? new Date(0) : created;
  return { name, model: name, modified_at: modified.toISOString(), size: 0, digest: '', details: DETAILS };
}
