-- Health of an object of Gatehouse, as kstatus reads it: an older generation or Reconciling is progressing, Stalled is
-- degraded, Ready is healthy.
local function condition(name)
  for _, candidate in ipairs(obj.status ~= nil and obj.status.conditions or {}) do
    if candidate.type == name and candidate.status == "True" then
      return candidate
    end
  end
  return nil
end

local function health(status, message)
  return { status = status, message = message or "" }
end

if obj.metadata.deletionTimestamp ~= nil then
  return health("Progressing", "Being deleted")
end
if obj.spec ~= nil and obj.spec.suspend == true then
  return health("Suspended", "spec.suspend is true")
end
if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", "Waiting for the operator")
end

local reconciling = condition("Reconciling")
if reconciling ~= nil then
  return health("Progressing", reconciling.message)
end
local stalled = condition("Stalled")
if stalled ~= nil then
  return health("Degraded", stalled.message)
end
local ready = condition("Ready")
if ready ~= nil then
  return health("Healthy", ready.message)
end
return health("Progressing", "Not ready yet")
