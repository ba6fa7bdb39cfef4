/** The page of the clients that the lane `clients` runs, with the versions of the lock files. */
import { code, page, table } from '@gatehouse/crds/gen';
import { AGENTS } from './agents.ts';
import { CHECKS, CLIENTS, type Client, collectionOf } from './clients.ts';
import { type Collection, versionOf } from './versions.ts';

const LANGUAGES = { javascript: 'JavaScript', python: 'Python' } as const;

const WHAT_CHECKS_ARE = [
  ['unary', 'an answer as a whole, with usage; counting tokens where the API has it'],
  ['stream', 'the text of the events, assembled by the client; usage at the end'],
  ['tools', 'a call of a tool, and the answer from its result'],
  ['across', 'tools and streams with a provider that does not have the API of the client'],
  ['embeddings', 'vectors of several texts'],
  ['rerank', 'documents in the order in which they fit a question'],
  ['models', 'the list of models in the shape of the client'],
  ['files', 'upload, read, list, delete'],
  ['moderations', 'what a text is flagged for'],
  ['images', 'an image that is made, and one that is changed'],
  ['audio', 'speech as bytes and as events; a transcription in a form, as JSON, text and events'],
  ['error 401', "a wrong key is the client's own class of error"],
  ['error 400', 'so is a request that is refused, by the gateway or by the provider'],
  ['error 404', 'so is an object that does not exist'],
  ['error 429', 'so is the limit of a key, with `Retry-After` where the client shows headers'],
  ['cancel', 'a client that stops reading ends the call to the provider'],
] as const satisfies readonly (readonly [(typeof CHECKS)[number], string])[];

const named = (collection: Collection, packages: readonly string[]): string =>
  packages.map((name) => `${code(name)} ${versionOf(collection, name)}`).join(', ');

function row(client: Client): string[] {
  const { title, language, packages, settings, checks } = client;
  const left = CHECKS.filter((check) => !checks.includes(check));
  const done = left.length === 0 ? 'all' : `all but ${left.join(', ')}`;
  return [`${title} (${LANGUAGES[language]})`, named(collectionOf(client), packages), settings, done];
}

/** `docs/clients.md` without its notice. */
export function clientsPage(): string {
  return page('Clients', [
    'Unmodified clients that are run against every version: `make test LANES=clients` starts the standalone process with the ' +
      '[examples](../examples) and a mock provider, and runs each of these against it. The key of the gateway stands where the ' +
      'client wants its API key.',
    table(['client', 'versions', 'settings', 'checks'], CLIENTS.map(row)),
    'What is checked:',
    table(
      ['check', 'what'],
      WHAT_CHECKS_ARE.map(([check, what]) => [check, what]),
    ),
    '## Coding agents',
    'Each gets one task without a terminal and without another network, reads a file with a tool of its own, and ends without an ' +
      'error: with each of the models in its row.',
    table(
      ['agent', 'version', 'environment', 'models'],
      AGENTS.map(({ title, name, variables, models }) => [
        title,
        named('agents', [name]),
        variables,
        models.map((model) => code(model.name)).join(', '),
      ]),
    ),
  ]);
}
