import { defineScript, type RedisScript } from '../store/index.ts';
import { MAX_AMOUNT } from './budgets.ts';
import { FORGET_AFTER_MS, SPARE_PARTS } from './counter.ts';

/** Arguments of one counter. */
export const ARGS_PER_COUNTER = 15;

const DAY_MS = 86_400_000;
/** A counter stays so long after its period, in ms. */
const KEPT_AFTER_PERIOD_MS = DAY_MS;
/** A counter whose period never ends stays so long after its last use, in ms. */
const KEPT_UNUSED_MS = 400 * DAY_MS;

/**
 * Does to each counter what `syncCounter` does. A counter is a hash: `period`, `generation`, `settled`, `seeded`, and for each
 * holder `holder:NAME` with its spent amount, held amount, end of lease and sequence.
 * KEYS: counters of one hash slot. ARGV of each: start and end of the period (-1: none), limit, holder, sequence, spentIn, spent,
 * held, more, spare (0 or 1), leaseMs, generation, and generation, period and total of the seed (-1: none).
 * Returns for each: status (1 done, 2 clock, 3 generation, 4 old), time, period, generation, total, held, heldByOthers, holders.
 * Amounts are texts: parsers of integers lose the last digit near 2^53.
 */
export const SYNC: RedisScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local MAX = ${MAX_AMOUNT}

local function whole(number) return string.format('%.0f', number) end

local function read(key)
  local counter = { settled = 0, seeded = 0, shares = {} }
  local raw = redis.call('HGETALL', key)
  for i = 1, #raw, 2 do
    local name, value = raw[i], raw[i + 1]
    if name == 'generation' then
      counter.generation = value
    elseif string.sub(name, 1, 7) == 'holder:' then
      local spent, held, lease, sequence = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
      counter.shares[name] = {
        spent = tonumber(spent), held = tonumber(held), lease = tonumber(lease), sequence = tonumber(sequence)
      }
    else
      counter[name] = tonumber(value)
    end
  end
  return counter
end

local function current(key, start, generation)
  local counter = read(key)
  if counter.period and counter.period >= start then return counter end
  redis.call('DEL', key)
  local new = { period = start, generation = counter.generation or generation, settled = 0, seeded = 0, shares = {} }
  redis.call('HSET', key, 'period', whole(start), 'generation', new.generation)
  return new
end

local function sums(key, counter)
  local spent, held, holders = 0, 0, 0
  for name, share in pairs(counter.shares) do
    if share.lease + ${FORGET_AFTER_MS} < now then
      counter.settled = math.min(counter.settled + share.spent, MAX)
      redis.call('HDEL', key, name)
      redis.call('HSET', key, 'settled', whole(counter.settled))
    else
      spent = spent + share.spent
      if share.lease > now then
        held = held + share.held
        holders = holders + 1
      end
    end
  end
  return math.min(counter.settled + counter.seeded + spent, MAX), held, holders
end

local function sync(key, at)
  local function number(i) return tonumber(ARGV[at + i]) end
  local start, finish, limit, holder = number(1), number(2), number(3), 'holder:' .. ARGV[at + 4]
  if now < start or (finish >= 0 and now >= finish) then return { 2, now } end
  local counter = current(key, start, ARGV[at + 4] .. '.' .. ARGV[at + 5])
  if finish >= 0 then
    redis.call('PEXPIREAT', key, whole(finish + ${KEPT_AFTER_PERIOD_MS}))
  else
    redis.call('PEXPIRE', key, ${KEPT_UNUSED_MS})
  end
  if number(14) == counter.period and ARGV[at + 13] ~= counter.generation and number(15) > counter.seeded then
    counter.seeded = number(15)
    redis.call('HSET', key, 'seeded', whole(counter.seeded))
  end
  local same = number(6) == counter.period
  if same and ARGV[at + 12] ~= '' and ARGV[at + 12] ~= counter.generation then
    return { 3, now, 0, counter.generation }
  end
  local share = counter.shares[holder] or { spent = 0, sequence = 0 }
  if number(5) <= share.sequence then return { 4, now } end
  counter.shares[holder] = share
  share.sequence, share.held, share.lease = number(5), 0, now + number(11)
  if same then share.spent = math.max(share.spent, number(7)) end
  local total, others, holders = sums(key, counter)
  if number(11) > 0 then
    local left = math.max(limit - total - others, 0)
    local kept = same and math.min(number(8), left) or 0
    left = left - kept
    local grant = number(9)
    if grant >= left then
      grant = left
    elseif number(10) == 1 then
      local extra = math.floor((left - grant) / (${SPARE_PARTS} * math.max(holders, 1)))
      if extra >= grant then grant = grant + extra end
    end
    share.held = kept + grant
  end
  redis.call('HSET', key, holder, table.concat(
    { whole(share.spent), whole(share.held), whole(share.lease), whole(share.sequence) }, ' '))
  return { 1, now, counter.period, counter.generation, whole(total), whole(share.held), whole(others), holders }
end

local replies = {}
for i, key in ipairs(KEYS) do
  replies[i] = sync(key, (i - 1) * ${ARGS_PER_COUNTER})
end
return replies
`);
