/** Parts of a conversation that a client of Gemini gives, as those of messages. */
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { memberOf, objectOf, textIn } from './members.ts';

/** Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function toUserParts(part: JsonObject, path: string): readonly JsonObject[] {
  const text = textIn(part, 'text');
  if (text !== undefined && text !== '') return [{ type: 'text', text }];
  const media = toMedia(part, path);
  if (media !== undefined) return [media];
  if (text === '') return [];
  return refuseParameter(
    path,
    'a chat completion has no such part; texts, inlineData, fileData and functionResponse are taken',
  );
}

/** What a model has said, with its signature. Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
export function toModelPart(part: JsonObject, path: string): readonly JsonObject[] {
  const signature = textIn(part, 'thoughtSignature');
  const text = textIn(part, 'text');
  const own = text === undefined || text === '' ? (toCode(part) ?? toMedia(part, path)) : undefined;
  if (own === undefined && text === '' && signature === undefined) return [];
  const said = own ?? (text === undefined ? undefined : { type: 'text', text });
  if (said === undefined) return refuseParameter(path, 'a model has said texts, media, code and calls alone here');
  return [signature === undefined ? said : { ...said, thought_signature: signature }];
}

/** Code that Google has run. */
function toCode(part: JsonObject): JsonObject | undefined {
  const code = objectOf(part, 'executableCode');
  if (code !== undefined) return { type: 'executable_code', executable_code: code };
  const result = objectOf(part, 'codeExecutionResult');
  return result && { type: 'code_execution_result', code_execution_result: result };
}

function toMedia(part: JsonObject, path: string): JsonObject | undefined {
  const more = {
    media_resolution: memberOf(part, 'mediaResolution'),
    video_metadata: memberOf(part, 'videoMetadata'),
  };
  const inline = objectOf(part, 'inlineData');
  if (inline !== undefined) return toInline(inline, path, more);
  const linked = objectOf(part, 'fileData');
  return linked && toLinked(linked, path, more);
}

const IMAGE = /^image\//;
const AUDIO = /^audio\/(?:x-)?([\w.+-]+)$/;

function toInline(inline: JsonObject, path: string, more: JsonObject): JsonObject {
  const type = textIn(inline, 'mimeType') ?? refuseShape(`${path}.inlineData.mimeType`, 'a media type');
  const data = textIn(inline, 'data') ?? refuseShape(`${path}.inlineData.data`, 'base64');
  const url = `data:${type};base64,${data}`;
  if (IMAGE.test(type)) return toImage({ url, media_resolution: more['media_resolution'] });
  const [, format] = AUDIO.exec(type) ?? [];
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } };
  const filename = textIn(inline, 'displayName') ?? 'document';
  return { type: 'file', file: withoutAbsent({ filename, file_data: url, ...more }) };
}

const toImage = (image: JsonObject): JsonObject => ({ type: 'image_url', image_url: withoutAbsent(image) });

function toLinked(linked: JsonObject, path: string, more: JsonObject): JsonObject {
  const url = textIn(linked, 'fileUri') ?? refuseShape(`${path}.fileData.fileUri`, 'a URL');
  const type = textIn(linked, 'mimeType');
  if (type !== undefined && IMAGE.test(type))
    return toImage({ url, mime_type: type, media_resolution: more['media_resolution'] });
  return { type: 'file', file: withoutAbsent({ file_url: url, mime_type: type, ...more }) };
}
