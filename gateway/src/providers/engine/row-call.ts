/** A row of a batch as the call that it would be by itself. */
import type { Call, EndpointId, JsonObject } from '../contract.ts';

export interface RowCall {
  readonly endpoint: EndpointId;
  readonly params: JsonObject;
  readonly model: string;
  /** Fields that the upload has for itself. */
  readonly without?: readonly string[];
}

export function rowCall(call: Call, { endpoint, params, model, without = [] }: RowCall): Call {
  const { operation, provider, strict, fields, stored, ownIdentity, path, route, newId } = call;
  return {
    ...{ operation, endpoint, provider, model, params, strict, path, route, newId },
    ...(stored === undefined ? {} : { stored }),
    ...(ownIdentity === undefined ? {} : { ownIdentity }),
    stream: false,
    query: '',
    fields: {
      text: (key) => (without.includes(key) ? undefined : fields.text(key)),
      secret: (key) => fields.secret(key),
    },
    header: (name) => call.header(name),
    now: () => call.now(),
  };
}
