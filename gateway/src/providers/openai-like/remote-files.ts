/** Files of messages that are not in the body themselves: docs/behaviour/providers.md#what-a-provider-does-not-take. */
import { isObject } from '@gatehouse/crds';
import { type ContentPart, type FilePart, filePartOf } from '../../wire/openai/index.ts';
import { refusePart } from '../../wire/parts/parts.ts';
import type { BodyHook } from '../contract.ts';

/** The part by which the upstream is told a file at a URL, or one that was uploaded to it; undefined: it takes none. */
export type RemoteFile = (file: FilePart) => ContentPart | undefined;

/** A file by the id of an upload, as OpenAI has it. */
export const uploadedFile: RemoteFile = ({ id }) =>
  id === undefined ? undefined : { type: 'file', file: { file_id: id } };

/**
 * Writes such files of requests that come from another format as the upstream takes them. What clients of the format itself send
 * is theirs. Throws UnsupportedPart.
 */
export function remoteFiles(write: RemoteFile = () => undefined): BodyHook {
  const partOf = (part: unknown): unknown => {
    const file = isObject(part) ? filePartOf(part as ContentPart) : undefined; // any member may be missing
    if (file === undefined || file.data !== undefined) return part;
    return write(file) ?? refusePart(part as ContentPart);
  };
  const messageOf = (message: unknown): unknown => {
    const content = isObject(message) ? message['content'] : undefined;
    if (!(isObject(message) && Array.isArray(content))) return message;
    const written = content.map(partOf);
    return written.every((part, i) => part === content[i]) ? message : { ...message, content: written };
  };
  return (params, call) => {
    const messages: unknown = call.placeOf === undefined ? undefined : params['messages'];
    if (!Array.isArray(messages)) return params;
    const written = messages.map(messageOf);
    return written.every((message, i) => message === messages[i]) ? params : { ...params, messages: written };
  };
}
