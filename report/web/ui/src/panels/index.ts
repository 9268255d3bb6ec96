// What is shown beside the trees.
import "./panels.css";

export { Details } from "./details";
export { Efficiency } from "./efficiency";
export { Findings } from "./findings";
export { SystemPlot } from "./plot";
export { Timeline } from "./timeline";
export { TopologyGrid } from "./topology";
