import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readCount, readObject, readString } from '../json.ts';
import { json, type Reply, refuse } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { createStore, type Store } from '../store.ts';
import { openai, refuseField, refuseLongName } from './errors.ts';
import type { OpenaiFiles } from './files.ts';
import { listPage } from './page.ts';

const MAX_JOBS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const TRAINED_TOKENS = 4_096;

type Job = ReturnType<typeof toJob>;
type Jobs = Store<Job>;

/** Fine-tuning jobs over the stored files. A job ends when it is read for the first time; until then it can be cancelled. */
export function createFineTuningRoutes(files: OpenaiFiles): readonly Route[] {
  const jobs: Jobs = createStore({ maxEntries: MAX_JOBS, maxBytes: MAX_BYTES });
  const bodiless = bodilessRoutes(openai);
  const below = (rest: string): RegExp => new RegExp(`^/v1/fine_tuning/jobs/([^/]+)${rest}$`);
  return [
    {
      method: 'POST',
      path: '/v1/fine_tuning/jobs',
      dialect: openai,
      input: 'json',
      handle: (exchange, body) => createJob(jobs, files, exchange, body),
    },
    bodiless('GET', '/v1/fine_tuning/jobs', ({ query }) => listPage(jobs.list(), query)),
    bodiless('GET', below(''), (exchange) => withJob(jobs, exchange, (job) => keep(jobs, advance(job)))),
    bodiless('POST', below('/cancel'), (exchange) => withJob(jobs, exchange, (job) => cancelJob(jobs, job))),
    bodiless('GET', below('/events'), (exchange) =>
      withJob(jobs, exchange, (job) => listPage(eventsOf(job), exchange.query)),
    ),
    bodiless('GET', below('/checkpoints'), (exchange) =>
      withJob(jobs, exchange, (job) => listPage(checkpointsOf(job), exchange.query)),
    ),
  ];
}

function createJob(jobs: Jobs, files: OpenaiFiles, { seed }: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  const training = readString(body, 'training_file');
  if (training === undefined || files.get(training) === undefined) {
    return refuseField('training_file', 'training_file must be the id of an uploaded file');
  }
  const suffix = readString(body, 'suffix') ?? '';
  return refuseLongName({ model, suffix }) ?? keep(jobs, toJob(seed, { model, training, suffix }, body));
}

interface NewJob {
  readonly model: string;
  readonly training: string;
  readonly suffix: string;
}

function toJob(seed: Seed, { model, training, suffix }: NewJob, body: JsonObject) {
  return {
    id: seed.id('ftjob-'),
    object: 'fine_tuning.job' as const,
    created_at: seed.createdSeconds,
    finished_at: null as number | null,
    model,
    fine_tuned_model: null as string | null,
    organization_id: 'org-mock',
    result_files: [],
    status: 'queued' as 'queued' | 'succeeded' | 'cancelled',
    training_file: training,
    validation_file: readString(body, 'validation_file') ?? null,
    hyperparameters: { n_epochs: 'auto', batch_size: 'auto', learning_rate_multiplier: 'auto' },
    method: readObject(body, 'method') ?? { type: 'supervised' },
    trained_tokens: null as number | null,
    error: null,
    seed: readCount(body, 'seed') ?? 0,
    estimated_finish: null,
    integrations: [],
    metadata: readObject(body, 'metadata') ?? null,
    suffix,
  };
}

function keep(jobs: Jobs, job: Job): Reply {
  jobs.set(job.id, job);
  return json(job);
}

function advance(job: Job): Job {
  if (job.status !== 'queued') return job;
  return {
    ...job,
    status: 'succeeded',
    finished_at: job.created_at,
    fine_tuned_model: `ft:${job.model}:mock:${job.suffix}:${job.id.slice(-8)}`,
    trained_tokens: TRAINED_TOKENS,
  };
}

function cancelJob(jobs: Jobs, job: Job): Reply {
  if (job.status !== 'queued') return refuse(400, `Job has already ${job.status}.`);
  return keep(jobs, { ...job, status: 'cancelled', finished_at: job.created_at });
}

function eventsOf(job: Job) {
  return ['The job was created', `The job is ${job.status}`].map((message, index) => ({
    id: `${job.id.replace('ftjob-', 'ftevent-')}${index}`,
    object: 'fine_tuning.job.event',
    created_at: job.created_at,
    level: 'info',
    type: 'message',
    message,
    data: {},
  }));
}

function checkpointsOf(job: Job) {
  if (job.fine_tuned_model === null) return [];
  return [
    {
      id: job.id.replace('ftjob-', 'ftckpt_'),
      object: 'fine_tuning.job.checkpoint',
      created_at: job.created_at,
      fine_tuned_model_checkpoint: `${job.fine_tuned_model}:ckpt-step-1`,
      fine_tuning_job_id: job.id,
      step_number: 1,
      metrics: { step: 1, train_loss: 0.5 },
    },
  ];
}

function withJob(jobs: Jobs, { params: [id = ''] }: Exchange, answer: (job: Job) => Reply): Reply {
  const stored = jobs.get(id);
  if (stored === undefined) return refuse(404, `Could not find fine tune: ${id}`, { code: 'fine_tune_not_found' });
  return answer(stored.about);
}
