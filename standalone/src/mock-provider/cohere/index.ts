import { createHash } from 'node:crypto';
import { splitEvenly } from '../answer/index.ts';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { answerChat } from './chat.ts';
import { answerEmbed } from './embed.ts';
import { cohere, refuseInvalid } from './errors.ts';
import { listModels, retrieveModel } from './models.ts';
import { answerRerank } from './rerank.ts';

export { type Embedded, embed } from './embed.ts';
export { cohere } from './errors.ts';

const CHARACTERS_PER_TOKEN = 4;
const MAX_TOKENIZED_CHARACTERS = 65_536; // bound of `text` in the API
const VOCABULARY = 255_000;

const post = (path: string, handle: (exchange: Exchange, body: JsonObject) => Reply): Route => ({
  ...{ method: 'POST', path, dialect: cohere, input: 'json', handle },
});
const bodiless = bodilessRoutes(cohere);

/** The paths that Cohere alone has. */
export function createCohereRoutes(): readonly Route[] {
  return [
    post('/v2/chat', answerChat),
    post('/v2/embed', answerEmbed('2')),
    post('/v1/embed', answerEmbed('1')),
    post('/v2/rerank', answerRerank('2')),
    post('/v1/tokenize', tokenize),
  ];
}

/** Paths that others have too: these routes come first for clients of Cohere. */
export function createCohereSharedRoutes(): readonly Route[] {
  return [
    post('/v1/rerank', answerRerank('1')),
    bodiless('GET', '/v1/models', listModels),
    bodiless('GET', /^\/v1\/models\/([^/]+)$/, retrieveModel),
  ];
}

/** The header of both SDKs, a path of version 2, or parameters that no other list of models has. */
export function isOfCohere(path: string, search: string, sdk: unknown): boolean {
  if (path.startsWith('/v2/') || (typeof sdk === 'string' && sdk.startsWith('cohere'))) return true;
  return path === '/v1/models' && /[?&](?:page_size|page_token|endpoint|default_only)=/.test(search);
}

/** Tokens of four characters; the same token has the same id everywhere. */
function tokenize(_exchange: Exchange, body: JsonObject): Reply {
  const text = readString(body, 'text') ?? '';
  if (readString(body, 'model') === undefined) return refuseInvalid('model is required');
  if (text === '' || text.length > MAX_TOKENIZED_CHARACTERS) {
    return refuseInvalid(`text must have 1 to ${MAX_TOKENIZED_CHARACTERS} characters`);
  }
  const pieces = splitEvenly(text, CHARACTERS_PER_TOKEN);
  return json({ tokens: pieces.map(idOf), token_strings: pieces, meta: { api_version: { version: '1' } } });
}

const idOf = (piece: string): number => createHash('sha1').update(piece).digest().readUInt32BE(0) % VOCABULARY;
