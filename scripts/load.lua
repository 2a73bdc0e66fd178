-- What each of wrk's connections sends: POSTs whose bodies are the lines of a file,
-- in their order and from the start again. Run by scripts/load, as
--   wrk … -s scripts/load.lua URL -- FILE FIRST
-- The last line that it prints is JSON, for scripts/load to read. One thread sends
-- everything (-t1), so that no line goes out twice before all have gone out once.

local bodies, at = {}, 0

function init(args)
   for line in io.lines(args[1]) do
      bodies[#bodies + 1] = line
   end
   at = tonumber(args[2])
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
end

function request()
   at = at % #bodies + 1
   return wrk.format(nil, nil, nil, bodies[at])
end

function done(summary, latency)
   local errors = summary.errors
   print(string.format(
      '{"requests": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "max": %.3f, '
         .. '"refused": %d, "broken": %d, "late": %d}',
      summary.requests, summary.duration / 1e6,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
      -- Answers of 400 and above; connections that broke; answers after --timeout.
      errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
