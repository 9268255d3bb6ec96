// All tests of the page. They share a browser, so they run in one process; see harness.mjs.
import "./trees.mjs";
import "./whole.mjs";
import "./panels.mjs";
import "./alone.mjs";
import "./inputs.mjs";
import "./counters.mjs";
import "./waits.mjs";
import "./requests.mjs";
