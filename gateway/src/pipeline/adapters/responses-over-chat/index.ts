/** Responses of providers that have chat completions and no Responses API; docs/behaviour/responses.md. */
import type { Adapter } from '../adapter.ts';
import { toResponse } from './answer.ts';
import { clientNameOf, toChatRequest } from './request.ts';
import { MAX_OUTPUT_CHARS, ResponseStream } from './stream.ts';

export const responsesOverChat: Adapter = {
  operation: 'createModelResponse',
  endpoint: 'chatComplete',
  adapt(params, context) {
    const request = toChatRequest(params, context.provider);
    const options = { params, request, context, maxChars: MAX_OUTPUT_CHARS };
    return {
      params: request.params,
      dropped: request.dropped,
      nameOf: clientNameOf,
      placeOf: (part) => request.places.get(part) ?? 'input',
      toClient: (answer) => toResponse(answer, options),
      openStream: () => new ResponseStream(options),
    };
  },
};
