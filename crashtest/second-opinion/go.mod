// A second opinion on the histories that "howdah test histories --export" writes.
module second-opinion

go 1.22

require github.com/anishathalye/porcupine v1.3.1
