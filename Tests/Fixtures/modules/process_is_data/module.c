// A variable called `process`: must be refused as a library without the function.
float process = 1;
